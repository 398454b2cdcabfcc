# MEMORY=pl. LED "right": on when the SODIMM's controller has found its timing; dark means that memory is not usable.
set_property -dict {PACKAGE_PIN W21 IOSTANDARD LVCMOS25} [get_ports led_calibrated]
set_false_path -to [get_ports led_calibrated]
