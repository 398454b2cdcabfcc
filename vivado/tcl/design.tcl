# The block design: the ARM's processing system, the core, and what is between them.
#
#   M_AXI_GP0 -> control -> the core's registers          the core's interrupt -> IRQ_F2P[0]
#   the core's masters -> memory_ps.tcl or memory_pl.tcl   FCLK_CLK0 -> everything (but the SODIMM's controller)

# Of the registers on M_AXI_GP0.
set control_address 0x43C00000

proc add_cell {name vlnv {properties {}}} {
    set cell [create_bd_cell -type ip -vlnv $vlnv $name]
    set_cell $name $properties
    return $cell
}

proc set_cell {name properties} {
    if {[llength $properties]} {
        set_property -dict $properties [get_bd_cells $name]
    }
}

# Pins that are one wire, the one that drives it first; later calls add to it.
proc wire {driver args} {
    foreach pin $args {
        connect_bd_net [get_bd_pins $driver] [get_bd_pins $pin]
    }
}

proc join_interfaces {master slave} {
    connect_bd_intf_net -intf_net [string map {/ _} $master] [get_bd_intf_pins $master] [get_bd_intf_pins $slave]
}

# Connects a monitor to an existing connection.
proc tap_interface {master monitor} {
    connect_bd_intf_net -intf_net [get_bd_intf_nets [string map {/ _} $master]] \
        [get_bd_intf_pins $master] [get_bd_intf_pins $monitor]
}

# On the core's clock, with its reset. Widths, protocols and bursts are converted inside.
proc add_interconnect {name slaves masters {clocks 1}} {
    add_cell $name xilinx.com:ip:smartconnect \
        [list CONFIG.NUM_SI $slaves CONFIG.NUM_MI $masters CONFIG.NUM_CLKS $clocks]
    wire ps/FCLK_CLK0 $name/aclk
    wire reset/interconnect_aresetn $name/aresetn
}

proc add_processing_system {settings} {
    add_cell ps xilinx.com:ip:processing_system7
    # The board's preset: its DDR3, its pins, and a reference clock of 33.3 MHz.
    apply_bd_automation -rule xilinx.com:bd_rule:processing_system7 \
        -config {make_external "FIXED_IO, DDR" apply_board_preset "1" Master "Disable" Slave "Disable"} \
        [get_bd_cells ps]
    set_cell ps [list CONFIG.PCW_FPGA_FCLK0_ENABLE 1 CONFIG.PCW_EN_CLK0_PORT 1 CONFIG.PCW_EN_RST0_PORT 1 \
        CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ [dict get $settings clock_mhz] \
        CONFIG.PCW_USE_M_AXI_GP0 1 CONFIG.PCW_USE_FABRIC_INTERRUPT 1 CONFIG.PCW_IRQ_F2P_INTR 1]
    wire ps/FCLK_CLK0 ps/M_AXI_GP0_ACLK
    add_cell reset xilinx.com:ip:proc_sys_reset
    wire ps/FCLK_CLK0 reset/slowest_sync_clk
    wire ps/FCLK_RESET0_N reset/ext_reset_in
}

proc add_core {settings} {
    global contract
    set cell $contract(cell)
    set build [dict get $settings build]
    set properties {}
    if {[dict get $settings core] eq "rtl"} {
        set bits [expr {8 * $contract($build,bus_bytes)}]
        # The build for training has the vector unit; with it, zc706 would not fit its chip.
        set vector_unit [expr {$build eq "zc706_train"}]
        set properties [list CONFIG.BUILD $contract($build,build) CONFIG.DATA_BITS $bits CONFIG.VECTOR_UNIT $vector_unit]
    }
    add_cell $cell $contract(vlnv) $properties
    wire ps/FCLK_CLK0 $cell/ap_clk
    wire reset/peripheral_aresetn $cell/ap_rst_n
    # PYNQ's image listens to the first line only; it needs no controller in between.
    wire $cell/interrupt ps/IRQ_F2P
}

proc connect_control {memory} {
    global contract control_address
    add_interconnect control 1 [expr {$memory eq "pl" ? 2 : 1}]
    join_interfaces ps/M_AXI_GP0 control/S00_AXI
    join_interfaces control/M00_AXI $contract(cell)/s_axi_control
    assign_bd_address -offset $control_address -range $contract(control_bytes) \
        -target_address_space [get_bd_addr_spaces ps/Data] [get_bd_addr_segs $contract(cell)/s_axi_control/*]
}

# An HLS core ignores the responses to its masters, so a monitor watches them.
proc add_monitor {} {
    global contract
    set cell $contract(cell)
    add_cell monitor [monitor_vlnv]
    wire ps/FCLK_CLK0 monitor/ap_clk
    wire reset/peripheral_aresetn monitor/ap_rst_n
    tap_interface control/M00_AXI monitor/control
    foreach master {commands loads stores} {
        tap_interface $cell/m_axi_$master monitor/$master
    }
    wire monitor/bus_errors $cell/bus_errors
}

# A pin of the device that drives an LED (constraints/zc706.xdc).
proc add_led {name driver} {
    create_bd_port -dir O $name
    connect_bd_net [get_bd_pins $driver] [get_bd_ports $name]
}

proc create_design {settings} {
    global contract
    set name $contract(name)
    create_bd_design $name
    add_processing_system $settings
    add_core $settings
    connect_control [dict get $settings memory]
    if {[dict get $settings memory] eq "ps"} {
        connect_memory_ps
    } else {
        connect_memory_pl
    }
    if {[dict get $settings core] eq "hls"} {
        add_monitor
    }
    add_led led_interrupt $contract(cell)/interrupt
    validate_bd_design
    save_bd_design
}
