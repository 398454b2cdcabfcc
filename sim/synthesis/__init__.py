"""The RTL through Yosys: resources, proofs, lint."""
