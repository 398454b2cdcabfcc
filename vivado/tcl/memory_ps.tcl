# MEMORY=ps: the core works in the ARM's own DDR3, through two of the four HP ports.
#
# Reads go through HP0, writes through HP2, which do not share a port of the memory controller. A port has 64 bits, so
# at 200 MHz the core gets at most 1.6 GB/s each way, however wide its own bus is.

set ps_memory_range 1G

proc connect_memory_ps {} {
    global contract
    set cell $contract(cell)
    set_cell ps {CONFIG.PCW_USE_S_AXI_HP0 1 CONFIG.PCW_S_AXI_HP0_DATA_WIDTH 64 \
        CONFIG.PCW_USE_S_AXI_HP2 1 CONFIG.PCW_S_AXI_HP2_DATA_WIDTH 64}
    wire ps/FCLK_CLK0 ps/S_AXI_HP0_ACLK ps/S_AXI_HP2_ACLK
    add_interconnect reads 2 1
    join_interfaces $cell/m_axi_loads reads/S00_AXI
    join_interfaces $cell/m_axi_commands reads/S01_AXI
    join_interfaces reads/M00_AXI ps/S_AXI_HP0
    add_interconnect writes 1 1
    join_interfaces $cell/m_axi_stores writes/S00_AXI
    join_interfaces writes/M00_AXI ps/S_AXI_HP2
    foreach {master port} {loads HP0 commands HP0 stores HP2} {
        show_ps_memory $cell/Data_m_axi_$master $port
    }
}

proc show_ps_memory {space port} {
    global ps_memory_range
    assign_bd_address -offset 0x00000000 -range $ps_memory_range \
        -target_address_space [get_bd_addr_spaces $space] [get_bd_addr_segs ps/S_AXI_$port/${port}_DDR_LOWOCM]
}
