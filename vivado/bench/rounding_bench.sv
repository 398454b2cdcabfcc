/// Noise keys, noise and requantiser in a row, as the epilogue has them: what the unit bench drives.
module rounding_bench
  import rounding_pkg::*;
(
    input  logic        clk,
    input  logic        start,       ///< new keys from the seed
    input  logic [63:0] seed,
    input  logic        own,         ///< use its keys
    input  logic [31:0] element,
    input  logic [47:0] acc,         ///< of the element
    input  logic        stochastic,
    input  logic [ 5:0] shift,
    input  logic        is_signed,
    input  logic [ 4:0] out_bits,
    output logic [31:0] bits,        ///< 9 cycles behind the element
    output logic [15:0] value        ///< 12 cycles behind it
);
  logic [31:0] key_0, key_1, mixed;
  logic [31:4] base;
  logic [3:0] low;
  logic [1:0][3:0] column_q;
  logic [8:0][47:0] acc_q;
  rounding_t rounding;
  always_ff @(posedge clk) begin
    acc_q    <= {acc_q[7:0], acc};
    column_q <= {column_q[0], element[3:0]};
  end
  assign bits = mixed ^ (mixed >> 16);

  noise_keys u_keys (
      .clk_i(clk), .start_i(start), .seed_lo_i(seed[31:0]), .seed_hi_i(seed[63:32]), .own_i(own), .key_0_o(key_0),
      .key_1_o(key_1)
  );
  noise_base u_base (.clk_i(clk), .key_0_i(key_0), .element_i(element[31:4]), .mixed_o(base), .low_o(low));
  noise u_noise (
      .clk_i(clk), .key_1_i(key_1), .base_i(base), .low_i(low), .column_i(column_q[1]), .mixed_o(mixed)
  );
  rounding_control u_control (
      .clk_i(clk), .stochastic_i(stochastic), .shift_i(shift), .signed_i(is_signed), .out_bits_i(out_bits),
      .rounding_o(rounding)
  );
  requantise u_requantise (
      .clk_i(clk), .rounding_i(rounding), .acc_i(acc_q[8]), .mixed_i(mixed), .value_o(value)
  );
endmodule
