# MEMORY=pl: the core works in the SODIMM on the fabric's side, 1 GB of DDR3-1600, 12.8 GB/s at its pins.
#
# The board's files set the controller up: 512 bits at 200 MHz (ui_clk). The core keeps its own clock; the interconnect
# crosses over. The ARM reaches the same memory at the same addresses through M_AXI_GP1, slowly, and reads at
# calibration_address whether the controller has found its timing (bit 0).

# Where M_AXI_GP1 begins.
set pl_memory_address 0x80000000
set pl_memory_range 1G
set calibration_address 0x41200000

proc connect_memory_pl {} {
    global contract
    set cell $contract(cell)
    set_cell ps {CONFIG.PCW_USE_M_AXI_GP1 1}
    wire ps/FCLK_CLK0 ps/M_AXI_GP1_ACLK
    add_memory_controller $contract(pl_memory)
    add_interconnect memory 4 1 2
    wire $contract(pl_memory)/ui_clk memory/aclk1
    join_interfaces $cell/m_axi_loads memory/S00_AXI
    join_interfaces $cell/m_axi_stores memory/S01_AXI
    join_interfaces $cell/m_axi_commands memory/S02_AXI
    join_interfaces ps/M_AXI_GP1 memory/S03_AXI
    join_interfaces memory/M00_AXI $contract(pl_memory)/S_AXI
    foreach space [list ps/Data $cell/Data_m_axi_loads $cell/Data_m_axi_commands $cell/Data_m_axi_stores] {
        show_pl_memory $space
    }
    show_calibration
}

proc add_memory_controller {name} {
    add_cell $name xilinx.com:ip:mig_7series
    apply_bd_automation -rule xilinx.com:bd_rule:mig_7series -config {Board_Interface "ddr3_sdram"} [get_bd_cells $name]
    wire reset/peripheral_reset $name/sys_rst
    add_cell memory_reset xilinx.com:ip:proc_sys_reset {CONFIG.C_EXT_RESET_HIGH 1}
    wire $name/ui_clk memory_reset/slowest_sync_clk
    wire $name/ui_clk_sync_rst memory_reset/ext_reset_in
    wire $name/mmcm_locked memory_reset/dcm_locked
    wire memory_reset/peripheral_aresetn $name/aresetn
}

proc show_pl_memory {space} {
    global contract pl_memory_address pl_memory_range
    assign_bd_address -offset $pl_memory_address -range $pl_memory_range \
        -target_address_space [get_bd_addr_spaces $space] [get_bd_addr_segs $contract(pl_memory)/memmap/memaddr]
}

proc show_calibration {} {
    global contract calibration_address
    add_cell calibration xilinx.com:ip:axi_gpio {CONFIG.C_GPIO_WIDTH 1 CONFIG.C_ALL_INPUTS 1}
    wire ps/FCLK_CLK0 calibration/s_axi_aclk
    wire reset/peripheral_aresetn calibration/s_axi_aresetn
    join_interfaces control/M01_AXI calibration/S_AXI
    wire $contract(pl_memory)/init_calib_complete calibration/gpio_io_i
    add_led led_calibrated $contract(pl_memory)/init_calib_complete
    assign_bd_address -offset $calibration_address -range 4K \
        -target_address_space [get_bd_addr_spaces ps/Data] [get_bd_addr_segs calibration/S_AXI/Reg]
}
