# Vivado's commands as the scripts may use them: options (those in the second list take a value) and how many other
# arguments there are. Each call is checked, printed, and answered by `answer_<name>` if there is one.

array set flags {}
array set valued {}
array set counts {}

proc stub {name with_value without_value least most} {
    global flags valued counts
    set valued($name) [concat $with_value -of_objects]
    set flags($name) [concat $without_value -quiet -verbose]
    set counts($name) [list $least $most]
    namespace eval [namespace qualifiers ::$name] {}
    proc ::$name args "called $name \$args"
}

proc called {name arguments} {
    global flags valued counts
    set options [dict create]
    set others {}
    for {set i 0} {$i < [llength $arguments]} {incr i} {
        set argument [lindex $arguments $i]
        if {![regexp {^-[a-z_]+$} $argument]} {
            lappend others $argument
        } elseif {$argument in $flags($name)} {
            dict set options $argument 1
        } elseif {$argument ni $valued($name)} {
            error "$name has no option $argument"
        } elseif {$i + 1 == [llength $arguments]} {
            error "option $argument of $name has no value"
        } else {
            dict set options $argument [lindex $arguments [incr i]]
        }
    }
    lassign $counts($name) least most
    if {[llength $others] < $least || [llength $others] > $most} {
        error "$name takes $least to $most arguments, not [llength $others]: $others"
    }
    puts "CALL $name $arguments"
    set answer answer_[string map {:: _} $name]
    if {[info commands $answer] ne ""} {
        return [$answer $options $others]
    }
    return ""
}

# Looking something up gives the name back, unless it is not there.
foreach {name with_value without_value least most} {
    version                       {}                            {-short}              0 0
    get_parts                     {}                            {}                    1 1
    get_board_parts               {}                            {}                    1 1
    create_project                {-part}                       {-force -in_memory}   1 2
    close_project                 {}                            {-delete}             0 0
    current_project               {}                            {}                    0 1
    current_fileset               {}                            {}                    0 0
    add_files                     {-fileset}                    {-norecurse}          1 1
    get_files                     {}                            {}                    1 1
    set_property                  {-dict}                       {}                    1 3
    get_property                  {}                            {}                    2 2
    update_compile_order          {-fileset}                    {}                    0 0
    update_ip_catalog             {}                            {-rebuild}            0 0
    ipx::package_project          {-root_dir -vendor -library -taxonomy} {-import_files} 0 0
    ipx::current_core             {}                            {}                    0 0
    ipx::create_xgui_files        {}                            {}                    1 1
    ipx::update_checksums         {}                            {}                    1 1
    ipx::check_integrity          {}                            {}                    1 1
    ipx::save_core                {}                            {}                    1 1
    ipx::get_bus_interfaces       {}                            {}                    1 1
    ipx::add_bus_interface        {}                            {}                    2 2
    ipx::remove_bus_interface     {}                            {}                    2 2
    ipx::get_bus_parameters       {}                            {}                    1 1
    ipx::add_bus_parameter        {}                            {}                    2 2
    ipx::add_port_map             {}                            {}                    2 2
    ipx::associate_bus_interfaces {-busif -clock}               {}                    1 1
    ipx::get_memory_maps          {}                            {}                    1 1
    ipx::add_memory_map           {}                            {}                    2 2
    ipx::get_address_blocks       {}                            {}                    0 1
    ipx::add_address_block        {}                            {}                    2 2
    ipx::get_address_spaces       {}                            {}                    1 1
    ipx::add_address_space        {}                            {}                    2 2
    ipx::remove_address_space     {}                            {}                    2 2
    create_bd_design              {}                            {}                    1 1
    create_bd_cell                {-type -vlnv}                 {}                    1 1
    create_bd_port                {-dir}                        {}                    1 1
    get_bd_cells                  {}                            {}                    1 1
    get_bd_pins                   {}                            {}                    1 1
    get_bd_ports                  {}                            {}                    1 1
    get_bd_intf_pins              {}                            {}                    1 1
    get_bd_intf_nets              {}                            {}                    1 1
    get_bd_addr_spaces            {}                            {}                    1 1
    get_bd_addr_segs              {}                            {}                    1 1
    connect_bd_net                {}                            {}                    2 2
    connect_bd_intf_net           {-intf_net}                   {}                    2 2
    apply_bd_automation           {-rule -config}               {}                    1 1
    assign_bd_address             {-offset -range -target_address_space} {}           1 1
    validate_bd_design            {}                            {}                    0 0
    save_bd_design                {}                            {}                    0 0
    make_wrapper                  {-files}                      {-top}                0 0
    generate_target               {}                            {}                    2 2
    launch_runs                   {-jobs -to_step}              {}                    1 1
    wait_on_run                   {-timeout}                    {}                    1 1
    get_runs                      {}                            {}                    1 1
    open_run                      {}                            {}                    1 1
    get_timing_paths              {-max_paths -nworst}          {-setup -hold}        0 0
    report_utilization            {-file -hierarchical_depth}   {-hierarchical}       0 0
    report_timing_summary         {-file -max_paths}            {}                    0 0
    report_clock_interaction      {-file}                       {}                    0 0
    report_high_fanout_nets       {-file -max_nets}             {-timing}             0 0
    report_design_analysis        {-file} {-congestion -logic_level_distribution} 0 0
    report_control_sets           {-file}                       {}                    0 0
    report_ram_utilization        {-file}                       {}                    0 0
    report_qor_suggestions        {-file}                       {}                    0 0
    report_power                  {-file}                       {}                    0 0
    report_drc                    {-file}                       {}                    0 0
    report_methodology            {-file}                       {}                    0 0
    write_hw_platform             {-file}                       {-fixed -include_bit -force} 0 0
    set_false_path                {-to}                         {}                    0 0
    get_ports                     {}                            {}                    1 1
    current_design                {}                            {}                    0 0
    create_pblock                 {}                            {}                    1 1
    resize_pblock                 {-add}                        {}                    1 1
    add_cells_to_pblock           {}                            {}                    2 2
    get_cells                     {}                            {-hierarchical -regexp} 1 1
} {
    stub $name $with_value $without_value $least $most
}
