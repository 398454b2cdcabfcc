# From the block design to a bitstream that meets its timing, and the files PYNQ wants.

# Time limit of a run, in minutes.
set longest_run 1440

proc open_overlay_project {settings} {
    global contract
    create_project -force -part $contract(part) $contract(name) [file join [dict get $settings work] project]
    set_property board_part [dict get $settings board] [current_project]
    set_property ip_repo_paths [repositories $settings] [current_project]
    update_ip_catalog -rebuild
    add_files -fileset constrs_1 -norecurse [constraint_files $settings]
    if {[dict get $settings pblocks] eq "rows"} {
        add_lane_groups $settings
    }
}

# For the placer: its cells exist after synthesis.
proc add_lane_groups {settings} {
    set file [file join [dict get $settings root] vivado constraints zc706_lane_groups.tcl]
    add_files -fileset constrs_1 -norecurse $file
    set_property used_in_synthesis false [get_files $file]
}

# The second LED exists only with the SODIMM.
proc constraint_files {settings} {
    set folder [file join [dict get $settings root] vivado constraints]
    set files [list [file join $folder zc706.xdc]]
    if {[dict get $settings memory] eq "pl"} {
        lappend files [file join $folder zc706_pl_memory.xdc]
    }
    return $files
}

proc make_top {} {
    global contract
    set design [get_files $contract(name).bd]
    # With the whole design, under its clocks and its strategy: an IP's own run has neither.
    set_property synth_checkpoint_mode None $design
    set wrapper [make_wrapper -files $design -top]
    add_files -norecurse $wrapper
    set_property top $contract(name)_wrapper [current_fileset]
    update_compile_order -fileset sources_1
    generate_target all $design
}

proc finish_run {name} {
    global longest_run
    wait_on_run -timeout $longest_run $name
    set progress [get_property PROGRESS [get_runs $name]]
    if {$progress ne "100%"} {
        refuse "run $name ended at $progress ([get_property STATUS [get_runs $name]]): see runme.log in\
            [get_property DIRECTORY [get_runs $name]]"
    }
}

proc synthesise {settings} {
    set_property strategy Flow_PerfOptimized_high [get_runs synth_1]
    launch_runs synth_1 -jobs [dict get $settings jobs]
    finish_run synth_1
}

proc place_and_route {settings} {
    set_property strategy Performance_Explore [get_runs impl_1]
    launch_runs impl_1 -to_step route_design -jobs [dict get $settings jobs]
    wait_for_route
    open_run impl_1
}

# A run that stops at a requested step does not reach 100 %.
proc wait_for_route {} {
    global longest_run
    wait_on_run -timeout $longest_run impl_1
    set status [get_property STATUS [get_runs impl_1]]
    if {![string match "route_design Complete*" $status]} {
        refuse "placing and routing ended with '$status': see runme.log in [get_property DIRECTORY [get_runs impl_1]];\
            a design that does not fit ends here too (BUILD=tiny is small)"
    }
}

proc write_reports {settings} {
    set folder [file join [dict get $settings result] reports]
    file mkdir $folder
    report_utilization -file [file join $folder utilization.txt]
    report_utilization -hierarchical -hierarchical_depth 5 -file [file join $folder utilization_by_module.txt]
    report_timing_summary -max_paths 20 -file [file join $folder timing.txt]
    report_clock_interaction -file [file join $folder clock_interaction.txt]
    report_high_fanout_nets -timing -max_nets 50 -file [file join $folder high_fanout.txt]
    report_design_analysis -congestion -logic_level_distribution -file [file join $folder design_analysis.txt]
    report_control_sets -file [file join $folder control_sets.txt]
    report_ram_utilization -file [file join $folder rams.txt]
    report_qor_suggestions -file [file join $folder qor_suggestions.txt]
    report_power -file [file join $folder power.txt]
    report_drc -file [file join $folder drc.txt]
    report_methodology -file [file join $folder methodology.txt]
}

# The least slack of a kind of path, in nanoseconds.
proc least_slack {kind} {
    set path [get_timing_paths -$kind -max_paths 1 -nworst 1]
    if {$path eq ""} {
        refuse "no path has a $kind requirement: the clocks are not constrained"
    }
    return [get_property SLACK $path]
}

proc check_timing_met {settings} {
    foreach kind {setup hold} {
        set slack [least_slack $kind]
        if {$slack < 0} {
            refuse "timing is not met: $kind slack is $slack ns at [dict get $settings clock_mhz] MHz, so no bitstream\
                is made; see [file join [dict get $settings result] reports timing.txt], or take a lower CLOCK_MHZ"
        }
        puts "timing: $kind slack $slack ns"
    }
}

proc make_bitstream {settings} {
    launch_runs impl_1 -to_step write_bitstream -jobs [dict get $settings jobs]
    finish_run impl_1
}

# PYNQ wants a bitstream and its hardware handoff under one name; Petalinux wants the .xsa.
proc collect {settings} {
    global contract
    set result [dict get $settings result]
    set project [file join [dict get $settings work] project]
    set name $contract(name)
    set made [dict create \
        bit [file join $project $name.runs impl_1 ${name}_wrapper.bit] \
        hwh [file join $project $name.gen sources_1 bd $name hw_handoff $name.hwh]]
    dict for {suffix path} $made {
        check_file $path "Vivado should have made it; see the messages above"
    }
    dict for {suffix path} $made {
        file copy -force $path [file join $result $name.$suffix]
    }
    write_hw_platform -fixed -include_bit -force -file [file join $result $name.xsa]
    puts "overlay: $name.bit, $name.hwh and $name.xsa are in $result"
}

proc build_overlay {settings} {
    # Results of an earlier build must not be mistaken for this one's.
    file delete -force [dict get $settings result]
    package_ips $settings
    open_overlay_project $settings
    create_design $settings
    make_top
    synthesise $settings
    place_and_route $settings
    write_reports $settings
    check_timing_met $settings
    make_bitstream $settings
    collect $settings
}
