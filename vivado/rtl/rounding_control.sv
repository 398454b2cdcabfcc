/// Turns a command's fields into what its requantisers share, once for all of them. Latency 1.
module rounding_control
  import rounding_pkg::*;
(
    input  logic       clk_i,
    input  logic       stochastic_i,
    input  logic [5:0] shift_i,
    input  logic       signed_i,
    input  logic [4:0] out_bits_i,
    output rounding_t  rounding_o
);
  logic [4:0] bits;  // of the value without its sign
  assign bits = out_bits_i - 5'(signed_i);

  always_ff @(posedge clk_i) begin
    rounding_o <= '{
        stochastic: stochastic_i,
        is_signed: signed_i,
        shift: shift_i,
        most: 16'((17'd1 << bits) - 17'd1),
        outside: ~48'd0 << (7'(shift_i) + 7'(bits)),
        sticky: ~(15'h7fff << (shift_i > 6'd32 ? shift_i - 6'd32 : 6'd0))
    };
  end
endmodule
