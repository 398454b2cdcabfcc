# The tool itself: installation, projects, runs, files they leave, and the packager. STUB_... variables make it fail.

proc told {name default} {
    return [expr {[info exists ::env(STUB_$name)] ? $::env(STUB_$name) : $default}]
}

proc answer_version {options others} { return [told VERSION 2022.2] }
proc answer_get_parts {options others} { return [told PARTS [lindex $others 0]] }
proc answer_get_board_parts {options others} {
    return [told BOARDS {xilinx.com:zc706:part0:1.10 xilinx.com:zc706:part0:1.4}]
}

# A file as the tool would leave it.
proc leave {path} {
    file mkdir [file dirname $path]
    close [open $path w]
}

proc answer_create_project {options others} {
    global project
    array set project [list name [lindex $others 0] folder [lindex $others 1] files {} top {} repositories {}]
    if {[dict get $options -part] ne "xc7z045ffg900-2"} {
        error "project for part [dict get $options -part]"
    }
    leave [file join $project(folder) $project(name).xpr]
}

proc answer_current_project {options others} { return project }
proc answer_current_fileset {options others} { return fileset }

proc answer_add_files {options others} {
    global project
    foreach file [lindex $others 0] {
        if {![file exists $file]} {
            error "add_files: no file $file"
        }
        lappend project(files) $file
    }
}

# Objects are names with their kind in front; what a property means depends on the kind.
proc answer_set_property {options others} {
    if {[dict exists $options -dict]} {
        lassign $others object
        dict for {name value} [dict get $options -dict] {
            set_one $name $value $object
        }
    } else {
        lassign $others name value object
        set_one $name $value $object
    }
    return ""
}

proc set_one {name value object} {
    global project packaged
    if {$object eq ""} {
        error "set_property $name on nothing"
    }
    switch -glob -- $object {
        project { if {$name eq "ip_repo_paths"} { set project(repositories) $value } }
        fileset { if {$name eq "top"} { set project(top) $value } }
        cell:*  { configure_cell [string range $object 5 end] $name $value }
        map:*   { lappend packaged(physical) $value }
        *.xdc - *.tcl - *.bd { if {$name ni {used_in used_in_synthesis synth_checkpoint_mode}} { error "file property $name" } }
        core - run:* - pblock:* - port:* - design - interface:* - parameter:* - space:* - memory_map:* - block:* {}
        default { error "set_property $name on unknown object '$object'" }
    }
}

proc answer_get_property {options others} {
    lassign $others name object
    switch -- $name/$object {
        SLACK/path:setup   { return [told SETUP_SLACK 0.12] }
        SLACK/path:hold    { return [told HOLD_SLACK 0.03] }
        PROGRESS/run:synth_1 { return [told SYNTHESIS_PROGRESS 100%] }
        PROGRESS/run:impl_1  { return [told BITSTREAM_PROGRESS 100%] }
        STATUS/run:synth_1 { return "synth_design ERROR" }
        STATUS/run:impl_1  { return [told ROUTE_STATUS "route_design Complete!"] }
        DIRECTORY/run:synth_1 - DIRECTORY/run:impl_1 { return runs }
    }
    error "get_property $name of '$object'"
}

proc answer_get_runs {options others} { return run:[lindex $others 0] }
proc answer_get_ports {options others} { return port:[lindex $others 0] }
proc answer_create_pblock {options others} { return pblock:[lindex $others 0] }
proc answer_get_cells {options others} { return [lindex $others 0] }
proc answer_current_design {options others} { return design }
proc answer_get_files {options others} { return [lindex $others 0] }
proc answer_get_timing_paths {options others} {
    if {[told NO_PATHS ""] ne ""} { return "" }
    return path:[expr {[dict exists $options -setup] ? "setup" : "hold"}]
}

proc answer_make_wrapper {options others} {
    global project
    set wrapper [file join $project(folder) $project(name).gen $project(name)_wrapper.v]
    leave $wrapper
    return $wrapper
}

proc answer_generate_target {options others} {
    global project
    set name $project(name)
    leave [file join $project(folder) $name.gen sources_1 bd $name hw_handoff $name.hwh]
}

proc answer_launch_runs {options others} {
    global project
    if {[dict exists $options -to_step] && [dict get $options -to_step] eq "write_bitstream"} {
        leave [file join $project(folder) $project(name).runs impl_1 $project(name)_wrapper.bit]
    }
}

foreach report {
    utilization timing_summary clock_interaction high_fanout_nets design_analysis control_sets ram_utilization
    qor_suggestions power drc methodology
} {
    proc answer_report_$report {options others} { leave [dict get $options -file] }
}
proc answer_write_hw_platform {options others} { leave [dict get $options -file] }

# The packager reads the top's pins from its source and recognises AXI interfaces by their names.
proc answer_ipx_package_project {options others} {
    global project packaged
    array set packaged [list folder [dict get $options -root_dir] pins {} interfaces {} physical {}]
    foreach file $project(files) {
        if {[file rootname [file tail $file]] eq $project(top)} {
            set stream [open $file]
            set port {(?:input|output)\s+(?:wire|reg)\s+(?:\[[^]]*\]\s+)?(\w+)}
            foreach {all pin} [regexp -all -inline $port [read $stream]] {
                lappend packaged(pins) $pin
            }
            close $stream
        }
    }
    foreach pin $packaged(pins) {
        if {[regexp {^(\w+_axi_\w+)_awaddr$} $pin all name] || [regexp {^(interrupt)$} $pin all name]} {
            lappend packaged(interfaces) $name
        }
    }
    file mkdir $packaged(folder)
}

proc answer_ipx_current_core {options others} { return core }

proc answer_ipx_get_bus_interfaces {options others} {
    global packaged
    set name [lindex $others 0]
    return [expr {$name in $packaged(interfaces) ? "interface:$name" : ""}]
}

proc answer_ipx_add_bus_interface {options others} {
    global packaged
    lappend packaged(interfaces) [lindex $others 0]
    return interface:[lindex $others 0]
}

proc answer_ipx_add_port_map {options others} { return map:[lindex $others 0] }
proc answer_ipx_add_bus_parameter {options others} { return parameter:[lindex $others 0] }
proc answer_ipx_add_memory_map {options others} { return memory_map:[lindex $others 0] }
proc answer_ipx_add_address_block {options others} { return block:[lindex $others 0] }
proc answer_ipx_add_address_space {options others} { return space:[lindex $others 0] }
proc answer_ipx_get_address_spaces {options others} { return [told INFERRED_SPACES ""] }

proc answer_ipx_associate_bus_interfaces {options others} {
    global packaged
    foreach {option known} [list -busif $packaged(interfaces) -clock $packaged(pins)] {
        if {[dict get $options $option] ni $known} {
            error "no [dict get $options $option] to associate"
        }
    }
}

proc answer_ipx_save_core {options others} {
    global packaged
    foreach pin $packaged(physical) {
        if {$pin ni $packaged(pins)} {
            error "a port map names pin $pin, which the module does not have"
        }
    }
    leave [file join $packaged(folder) component.xml]
}
