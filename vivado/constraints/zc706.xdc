# The ZC706. Pins of the DDR3 memories and of the ARM come from the board's files; clocks from the IPs that make them.

# LED "left": on while the core's interrupt is up.
set_property -dict {PACKAGE_PIN Y21 IOSTANDARD LVCMOS25} [get_ports led_interrupt]
set_false_path -to [get_ports led_interrupt]

set_property BITSTREAM.GENERAL.COMPRESS TRUE [current_design]
