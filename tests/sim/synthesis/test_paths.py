"""Paths of mapped netlists: as long as Yosys' own analysis says, and as deep as the RTL makes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.synthesis import resources
from sim.synthesis.netlist import Netlist
from sim.synthesis.paths import Paths
from sim.synthesis.yosys import read_rtl, run_yosys

CHAIN = """
module chain (input clk, input [2:0] x, output reg y, output reg z);
  reg [2:0] x_q;
  wire a, b;
  LUT2 #(.INIT(4'b0110)) u_a (.I0(x_q[0]), .I1(x_q[1]), .O(a));
  LUT2 #(.INIT(4'b0110)) u_b (.I0(a), .I1(x_q[2]), .O(b));
  always @(posedge clk) begin
    x_q <= x;
    y   <= b;
    z   <= a;
  end
endmodule
"""


@pytest.mark.parametrize("top", ["burst_split", "serial_math", "cycle_counters"])
def test_as_long_as_yosys_says(top: str, tmp_path: Path) -> None:
    """Of modules without LUTs by name: of those Yosys counts inputs that an output does not depend on."""
    verilog, netlist = tmp_path / "netlist.v", tmp_path / "netlist.json"
    run_yosys(
        [
            *(read_rtl(top), f"{resources.SYNTH} -top {top}", f"write_verilog -noexpr {verilog}"),
            *(f"select {top}", f"write_json -selected {netlist}"),
        ]
    )
    assert Paths(Netlist.read(netlist, top)).worst()[0].ps == resources.delay(verilog, top)


def test_wide_nets(tmp_path: Path) -> None:
    """Loads of a net, clocks aside, and whether a register drives it."""
    source, netlist = tmp_path / "chain.v", tmp_path / "netlist.json"
    source.write_text(CHAIN)
    run_yosys(
        [f"read_verilog {source}", f"{resources.SYNTH} -top chain", "select chain", f"write_json -selected {netlist}"]
    )
    chain = Netlist.read(netlist, "chain")
    assert [(loads, chain.name(net)) for loads, net in chain.wide(1)] == [(2, "a")]
    assert not chain.is_register(chain.wide(1)[0][1])
    names = {chain.name(net): chain.is_register(net) for _, net in chain.wide(0)}
    assert names["x_q[0]"]
    assert "clk" not in names


def test_levels_and_ends(tmp_path: Path) -> None:
    source, netlist = tmp_path / "chain.v", tmp_path / "netlist.json"
    source.write_text(CHAIN)
    run_yosys(
        [f"read_verilog {source}", f"{resources.SYNTH} -top chain", "select chain", f"write_json -selected {netlist}"]
    )
    paths = {path.end: path for path in Paths(Netlist.read(netlist, "chain"), deepest=True).worst(10)}
    assert (paths["y"].luts, paths["z"].luts, paths["x_q[0]"].luts) == (2, 1, 0)
    assert paths["y"].through == ("x_q[0]", "a", "b")
    assert paths["y"].ps == 303 + 238 + 238  # of a flip-flop, and of the first inputs of a LUT2
    assert paths["x_q[0]"].ps == 0  # from an input, of which nothing is known
