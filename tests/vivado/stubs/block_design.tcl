# Block designs: which pins a cell has, what is connected, which addresses are given; `validate_bd_design` judges it.

array set vlnvs {}
array set configured {}
array set pins {}
array set drivers {}
array set joined {}
array set nets {}
array set segments {}
set ports {}

# direction of each pin, and for interfaces M(aster), S(lave) or T(ap)
proc set_pins {cell list} {
    global pins
    foreach {pin kind} $list {
        set pins($cell/$pin) $kind
    }
}

set core_pins {
    ap_clk in ap_rst_n in interrupt out s_axi_control S m_axi_commands M m_axi_loads M m_axi_stores M
}

proc pins_of {vlnv} {
    global core_pins project
    switch -glob -- $vlnv {
        cpt-kit:kernel:cpt_kernel:1.0 {
            set hls [expr {[lsearch -glob $project(repositories) */solution/impl/ip] >= 0}]
            return [concat $core_pins [expr {$hls ? {bus_errors in} : {}}]]
        }
        cpt-kit:kernel:response_monitor:1.0 {
            return {ap_clk in ap_rst_n in bus_errors out control T commands T loads T stores T}
        }
        xilinx.com:ip:processing_system7 { return {FCLK_CLK0 out FCLK_RESET0_N out IRQ_F2P in} }
        xilinx.com:ip:proc_sys_reset {
            return {slowest_sync_clk in ext_reset_in in dcm_locked maybe peripheral_aresetn out
                peripheral_reset out interconnect_aresetn out}
        }
        xilinx.com:ip:smartconnect { return {aclk in aresetn in} }
        xilinx.com:ip:mig_7series {
            return {sys_rst in aresetn in ui_clk out ui_clk_sync_rst out mmcm_locked out init_calib_complete out
                S_AXI S}
        }
        xilinx.com:ip:axi_gpio { return {s_axi_aclk in s_axi_aresetn in gpio_io_i in S_AXI S} }
    }
    error "no IP $vlnv in the catalogue"
}

proc answer_create_bd_cell {options others} {
    global vlnvs project
    set cell [lindex $others 0]
    set vlnv [dict get $options -vlnv]
    if {[string match cpt-kit:* $vlnv]} {
        set found 0
        foreach folder $project(repositories) {
            incr found [file exists [file join $folder component.xml]]
        }
        if {$found != [llength $project(repositories)] || $found == 0} {
            error "IP $vlnv: not every repository of '$project(repositories)' has an IP"
        }
    }
    if {[info exists vlnvs($cell)]} {
        error "two cells $cell"
    }
    set vlnvs($cell) $vlnv
    set_pins $cell [pins_of $vlnv]
    return cell:$cell
}

# Settings that bring pins with them.
proc configure_cell {cell name value} {
    global configured vlnvs
    set configured($cell,$name) $value
    if {$value == 1 && [regexp {^CONFIG.PCW_USE_(M_AXI_GP\d)$} $name all bus]} {
        set_pins $cell [list $bus M ${bus}_ACLK in]
    } elseif {$value == 1 && [regexp {^CONFIG.PCW_USE_(S_AXI_HP\d)$} $name all bus]} {
        set_pins $cell [list $bus S ${bus}_ACLK in]
    } elseif {[regexp {^CONFIG.NUM_(SI|MI|CLKS)$} $name all what]} {
        for {set i 0} {$i < $value} {incr i} {
            switch -- $what {
                SI   { set_pins $cell [list [format S%02d_AXI $i] S] }
                MI   { set_pins $cell [list [format M%02d_AXI $i] M] }
                CLKS { set_pins $cell [list [expr {$i ? "aclk$i" : "aclk"}] in] }
            }
        }
    }
}

proc known {kind name} {
    global pins
    if {![info exists pins($name)] || $pins($name) ni $kind} {
        error "the design has no pin $name of kind $kind"
    }
    return $name
}

proc answer_get_bd_cells {options others} {
    global vlnvs
    if {![info exists vlnvs([lindex $others 0])]} { error "no cell $others" }
    return cell:[lindex $others 0]
}
proc answer_get_bd_pins {options others} { return [known {in out maybe} [lindex $others 0]] }
proc answer_get_bd_intf_pins {options others} { return [known {M S T} [lindex $others 0]] }
proc answer_get_bd_intf_nets {options others} {
    global nets
    if {![info exists nets([lindex $others 0])]} { error "no interface net $others" }
    return net:[lindex $others 0]
}

proc answer_create_bd_port {options others} {
    global ports
    lappend ports [lindex $others 0]
}
proc answer_get_bd_ports {options others} {
    global ports
    if {[lindex $others 0] ni $ports} { error "no port $others" }
    return port:[lindex $others 0]
}

proc answer_connect_bd_net {options others} {
    global pins drivers
    lassign $others driver sink
    if {$pins($driver) ne "out"} { error "$driver drives nothing" }
    if {[info exists drivers($sink)]} { error "$sink is driven twice" }
    if {![string match port:* $sink] && $pins($sink) eq "out"} { error "$sink is an output" }
    set drivers($sink) $driver
}

proc answer_connect_bd_intf_net {options others} {
    global pins joined nets
    lassign $others master slave
    set net [dict get $options -intf_net]
    if {$pins($slave) eq "T"} {
        if {$net ne "net:$nets([string range $net 4 end])" || $joined($master) ne $net} { error "$slave taps no $net" }
        set joined($slave) $net
        return ""
    }
    if {$pins($master) ne "M" || $pins($slave) ne "S"} { error "$master to $slave is not master to slave" }
    foreach pin $others {
        if {[info exists joined($pin)]} { error "$pin is connected twice" }
        set joined($pin) net:$net
    }
    set nets($net) $net
    return ""
}

proc answer_get_bd_addr_spaces {options others} {
    set space [lindex $others 0]
    if {$space ne "ps/Data" && ![regexp {^cpt_kernel/Data_m_axi_(commands|loads|stores)$} $space]} {
        error "no address space $space"
    }
    return $space
}
proc answer_get_bd_addr_segs {options others} {
    set segment [lindex $others 0]
    if {![regexp {^(cpt_kernel/s_axi_control/\*|calibration/S_AXI/Reg|pl_ddr3/memmap/memaddr)$} $segment]
        && ![regexp {^ps/S_AXI_(HP\d)/\1_DDR_LOWOCM$} $segment]} {
        error "no segment $segment"
    }
    return $segment
}

proc answer_assign_bd_address {options others} {
    global segments
    set range [string map {G *1024*1024*1024 K *1024} [dict get $options -range]]
    set from [expr {[dict get $options -offset] + 0}]
    set to [expr $from + $range]
    set space [dict get $options -target_address_space]
    foreach {other taken} [array get segments $space,*] {
        if {$from < [lindex $taken 1] && [lindex $taken 0] < $to} { error "$others overlaps $other" }
    }
    set segments($space,[lindex $others 0]) [list $from $to]
}

proc answer_validate_bd_design {options others} {
    global pins drivers joined segments
    set problems {}
    foreach {pin kind} [array get pins] {
        if {$kind eq "in" && ![info exists drivers($pin)]} { lappend problems "$pin is not driven" }
        if {$kind in {M S T} && ![info exists joined($pin)]} { lappend problems "$pin is not connected" }
    }
    foreach space {ps/Data cpt_kernel/Data_m_axi_commands cpt_kernel/Data_m_axi_loads cpt_kernel/Data_m_axi_stores} {
        if {[array names segments $space,*] eq ""} { lappend problems "$space has no address" }
    }
    if {[llength $problems]} { error [join [lsort $problems] "; "] }
}
