# What is to be built, from the environment (vivado/Makefile sets it), and whether it can be: all of it is checked
# before anything is created.
#
#   CPT_STAGE      ip: package the cores; bitstream: build the overlay
#   CPT_CORE       rtl, or hls (exported by `make -C hls export`)
#   CPT_BUILD      a build of sim/contract/contract.toml
#   CPT_MEMORY     ps: the ARM's DDR3 through HP ports; pl: the SODIMM through a controller in the fabric
#   CPT_CLOCK_MHZ  the core's clock
#   CPT_PBLOCKS    none, or rows: the lanes of the zc706 RTL core in groups, a row of clock regions each
#   CPT_JOBS       processes that Vivado may start

set oldest_tool 2021.1
set newest_tool 2026.1
# What the ARM's clock generator divides: a clock must be a whole part of it.
set io_pll_mhz 1000

# A user's error, shown as one line.
proc refuse {message} {
    return -code error -errorcode CPT_REFUSED $message
}

proc check_tool {} {
    global oldest_tool newest_tool
    set found [version -short]
    if {![regexp {\d{4}\.\d} $found release]} {
        refuse "cannot tell the release of Vivado from '$found'; these scripts fit $oldest_tool to $newest_tool"
    }
    if {[package vcompare $release $oldest_tool] < 0 || [package vcompare $release $newest_tool] > 0} {
        refuse "found Vivado $release; these scripts fit $oldest_tool to $newest_tool"
    }
}

proc setting {name} {
    if {![info exists ::env($name)] || $::env($name) eq ""} {
        refuse "environment variable $name is not set: start this script through 'make -C vivado ip|bitstream'"
    }
    return $::env($name)
}

proc choice {name allowed} {
    set value [setting $name]
    if {$value ni $allowed} {
        refuse "[string range $name 4 end]=$value is unknown; there are: [join $allowed {, }]"
    }
    return $value
}

proc whole_number {name least most} {
    set value [setting $name]
    if {![string is digit -strict $value] || $value < $least || $value > $most} {
        refuse "[string range $name 4 end]=$value is not a whole number in $least..$most"
    }
    return $value
}

proc clock_setting {} {
    global io_pll_mhz contract
    set mhz [whole_number CPT_CLOCK_MHZ 10 $contract(clock_mhz)]
    if {$io_pll_mhz % $mhz != 0} {
        refuse "CLOCK_MHZ=$mhz does not divide $io_pll_mhz MHz, from which the ARM makes it: take 200, 125, 100 or 50"
    }
    return $mhz
}

# The installed parts tell a licensed Vivado from the free one, which does not have this device.
proc check_part {} {
    global contract
    if {[get_parts -quiet $contract(part)] eq ""} {
        refuse "this Vivado does not have part $contract(part): install its Zynq-7000 devices; the free edition has no\
            XC7Z045"
    }
}

proc newest_board {} {
    set boards [lsort -dictionary [get_board_parts -quiet xilinx.com:zc706:part0:*]]
    if {[llength $boards] == 0} {
        refuse "no board files of the ZC706: get them from the Vivado Store (Tools menu), tab Boards"
    }
    return [lindex $boards end]
}

proc check_file {path advice} {
    if {![file exists $path]} {
        refuse "no file $path: $advice"
    }
}

# Where Vitis puts the IP that `make -C hls export` makes.
proc exported_ip {root build} {
    return [file join $root hls build vitis_$build solution impl ip]
}

# Headers too: an IP must contain what its files include.
proc rtl_sources {root} {
    return [lsort [glob -nocomplain -directory [file join $root vivado rtl] *.sv *.svh]]
}

proc check_sources {root core build} {
    if {$core eq "hls"} {
        check_file [file join [exported_ip $root $build] component.xml] \
            "export the HLS core first, 'make -C hls export BUILD=$build'"
    } else {
        check_file [file join $root vivado rtl cpt_kernel.sv] "this copy of the repository is not whole"
        check_file [file join $root vivado rtl cpt_kernel_pins.svh] "this copy of the repository is not whole"
    }
    foreach {folder name} {
        ip cpt_kernel_ip.v  ip response_monitor.v  constraints zc706.xdc  constraints zc706_pl_memory.xdc
        constraints zc706_lane_groups.tcl
    } {
        check_file [file join $root vivado $folder $name] "this copy of the repository is not whole"
    }
}

proc pblocks_setting {core build} {
    set pblocks [choice CPT_PBLOCKS {none rows}]
    if {$pblocks ne "none" && ($core ne "rtl" || $build ne "zc706")} {
        refuse "PBLOCKS=$pblocks is for CORE=rtl BUILD=zc706, not CORE=$core BUILD=$build"
    }
    return $pblocks
}

# All settings as a dictionary; `root` is the repository.
proc read_settings {root} {
    global contract
    check_tool
    set settings [dict create root $root]
    dict set settings stage [choice CPT_STAGE {ip bitstream}]
    dict set settings core [choice CPT_CORE {rtl hls}]
    dict set settings build [choice CPT_BUILD $contract([dict get $settings core]_builds)]
    dict set settings memory [choice CPT_MEMORY {ps pl}]
    dict set settings clock_mhz [clock_setting]
    dict set settings pblocks [pblocks_setting [dict get $settings core] [dict get $settings build]]
    dict set settings jobs [whole_number CPT_JOBS 1 64]
    check_part
    dict set settings board [newest_board]
    check_sources $root [dict get $settings core] [dict get $settings build]
    set variant [join [list [dict get $settings core] [dict get $settings build] [dict get $settings memory]] -]
    dict set settings variant $variant
    dict set settings work [file join $root out vivado $variant]
    dict set settings repository [file join $root out vivado ip]
    dict set settings result [file join $root out overlay $variant]
    return $settings
}
