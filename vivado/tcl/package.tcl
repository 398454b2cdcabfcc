# IP packaging: the RTL core, and the response monitor that an HLS core needs.

# The parts of a vendor:library:name:version.
proc split_vlnv {vlnv} {
    return [split $vlnv :]
}

# `prepare` adds what else belongs into the IP.
proc open_packaging {settings vlnv top sources {prepare ""}} {
    global contract
    lassign [split_vlnv $vlnv] vendor library name version
    set folder [file join [dict get $settings repository] $name]
    file delete -force $folder
    create_project -force -part $contract(part) package_$name [file join [dict get $settings work] package_$name]
    add_files -norecurse $sources
    if {$prepare ne ""} {
        $prepare $settings
    }
    set_property top $top [current_fileset]
    update_compile_order -fileset sources_1
    ipx::package_project -root_dir $folder -vendor $vendor -library $library -taxonomy /UserIP -import_files
    set core [ipx::current_core]
    set_property name $name $core
    set_property version $version $core
    set_property supported_families {zynq Production} $core
    return $core
}

proc close_packaging {core} {
    ipx::create_xgui_files $core
    ipx::update_checksums $core
    ipx::check_integrity $core
    ipx::save_core $core
    close_project
}

# An interface that the packager should have found by the names of its pins.
proc found_interface {core name} {
    set interface [ipx::get_bus_interfaces -quiet $name -of_objects $core]
    if {$interface eq ""} {
        refuse "Vivado did not recognise interface $name by its pins in vivado/ip/cpt_kernel_ip.v"
    }
    return $interface
}

proc set_bus_parameter {interface name value} {
    set parameter [ipx::get_bus_parameters -quiet $name -of_objects $interface]
    if {$parameter eq ""} {
        set parameter [ipx::add_bus_parameter $name $interface]
    }
    set_property value $value $parameter
}

# The registers: one block of addresses.
proc describe_control {core} {
    global contract
    set interface [found_interface $core s_axi_control]
    set map [ipx::get_memory_maps -quiet s_axi_control -of_objects $core]
    if {$map eq ""} {
        set map [ipx::add_memory_map s_axi_control $core]
        set_property slave_memory_map_ref s_axi_control $interface
    }
    set block [lindex [ipx::get_address_blocks -quiet -of_objects $map] 0]
    if {$block eq ""} {
        set block [ipx::add_address_block Reg $map]
    }
    set_property range $contract(control_bytes) $block
    set_property width 32 $block
    set_property usage register $block
}

# A master: its address space has the name that Vitis gives it, so that block designs work with either core.
proc describe_master {core name mode} {
    set interface [found_interface $core $name]
    set inferred [ipx::get_address_spaces -quiet $name -of_objects $core]
    if {$inferred ne ""} {
        ipx::remove_address_space $name $core
    }
    set space [ipx::add_address_space Data_$name $core]
    set_property range 4G $space
    set_property width 32 $space
    set_property master_address_space_ref Data_$name $interface
    # Rows are short, so many bursts are in flight; none has more than 16 beats, all are of whole beats.
    set_bus_parameter $interface READ_WRITE_MODE $mode
    set_bus_parameter $interface NUM_READ_OUTSTANDING [expr {$mode eq "READ_ONLY" ? 64 : 1}]
    set_bus_parameter $interface NUM_WRITE_OUTSTANDING [expr {$mode eq "WRITE_ONLY" ? 64 : 1}]
    set_bus_parameter $interface MAX_BURST_LENGTH 16
    set_bus_parameter $interface SUPPORTS_NARROW_BURST 0
}

# The clock for whoever synthesises the packaged core out of context: without it that run knows no timing.
proc add_ooc_clock {settings} {
    file mkdir [dict get $settings work]
    set path [file join [dict get $settings work] cpt_kernel_ooc.xdc]
    set file [open $path w]
    puts $file "create_clock -name ap_clk -period [format %.3f [expr {1000.0 / [dict get $settings clock_mhz]}]]\
        \[get_ports ap_clk\]"
    close $file
    add_files -fileset constrs_1 -norecurse $path
    set_property used_in {synthesis implementation out_of_context} [get_files $path]
}

proc package_core {settings} {
    global contract
    set root [dict get $settings root]
    set sources [concat [rtl_sources $root] [list [file join $root vivado ip cpt_kernel_ip.v]]]
    set core [open_packaging $settings $contract(vlnv) cpt_kernel_ip $sources add_ooc_clock]
    set_property display_name "CPT kernel" $core
    set_property description "Bit-serial training accelerator; sim/contract/CONTRACT.md says what it does" $core
    describe_control $core
    describe_master $core m_axi_commands READ_ONLY
    describe_master $core m_axi_loads READ_ONLY
    describe_master $core m_axi_stores WRITE_ONLY
    foreach interface {s_axi_control m_axi_commands m_axi_loads m_axi_stores} {
        ipx::associate_bus_interfaces -busif $interface -clock ap_clk $core
    }
    found_interface $core interrupt
    close_packaging $core
}

# A tap on an AXI connection: pins of some of its channels, all of them inputs.
proc describe_tap {core name signals} {
    if {[ipx::get_bus_interfaces -quiet $name -of_objects $core] ne ""} {
        ipx::remove_bus_interface $name $core
    }
    set interface [ipx::add_bus_interface $name $core]
    set_property bus_type_vlnv xilinx.com:interface:aximm:1.0 $interface
    set_property abstraction_type_vlnv xilinx.com:interface:aximm_rtl:1.0 $interface
    set_property interface_mode monitor $interface
    foreach signal $signals {
        set map [ipx::add_port_map [string toupper $signal] $interface]
        set_property physical_name ${name}_$signal $map
    }
    ipx::associate_bus_interfaces -busif $name -clock ap_clk $core
}

proc monitor_vlnv {} {
    global contract
    lassign [split_vlnv $contract(vlnv)] vendor library name version
    return $vendor:$library:response_monitor:$version
}

proc package_monitor {settings} {
    set source [file join [dict get $settings root] vivado ip response_monitor.v]
    set core [open_packaging $settings [monitor_vlnv] response_monitor [list $source]]
    set_property display_name "AXI response monitor" $core
    set_property description "Reports error responses on an HLS kernel's masters to the kernel" $core
    describe_tap $core control {awaddr awvalid awready wdata wstrb wvalid wready}
    describe_tap $core commands {rresp rvalid rready}
    describe_tap $core loads {rresp rvalid rready}
    describe_tap $core stores {bresp bvalid bready}
    close_packaging $core
}

# What the overlay's core needs, in the repository of IPs. An HLS core comes packaged, from Vitis.
proc package_ips {settings} {
    file mkdir [dict get $settings repository]
    if {[dict get $settings core] eq "rtl"} {
        package_core $settings
    } else {
        package_monitor $settings
    }
}

# Folders in which Vivado finds the core. Both cores have one name, so only one of them may be found.
proc repositories {settings} {
    global contract
    lassign [split_vlnv $contract(vlnv)] vendor library name version
    if {[dict get $settings core] eq "rtl"} {
        return [list [file join [dict get $settings repository] $name]]
    }
    return [list [exported_ip [dict get $settings root] [dict get $settings build]] \
        [file join [dict get $settings repository] response_monitor]]
}
