"""The cocotb bench: one for every device with the contract's pins (C++ behind DPI, RTL, RTL exported by Vitis)."""
