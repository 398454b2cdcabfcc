/// Noise keys, noise and requantiser in a row, as the epilogue has them: what the unit bench drives.
module rounding_bench (
    input  logic        clk,
    input  logic        start,       ///< new keys from the seed
    input  logic [63:0] seed,
    input  logic [31:0] element,
    input  logic [47:0] acc,         ///< of the element
    input  logic        stochastic,
    input  logic [ 5:0] shift,
    input  logic        is_signed,
    input  logic [ 4:0] out_bits,
    output logic [31:0] bits,        ///< 7 cycles behind the element
    output logic [15:0] value        ///< 10 cycles behind it
);
  logic [31:0] key_0, key_1;
  logic [6:0][47:0] acc_q;
  always_ff @(posedge clk) acc_q <= {acc_q[5:0], acc};

  noise_keys u_keys (
      .clk_i(clk), .start_i(start), .seed_lo_i(seed[31:0]), .seed_hi_i(seed[63:32]), .key_0_o(key_0), .key_1_o(key_1)
  );
  noise u_noise (.clk_i(clk), .key_0_i(key_0), .key_1_i(key_1), .element_i(element), .bits_o(bits));
  requantise u_requantise (
      .clk_i(clk), .acc_i(acc_q[6]), .noise_i(bits), .stochastic_i(stochastic), .shift_i(shift), .signed_i(is_signed),
      .out_bits_i(out_bits), .value_o(value)
  );
endmodule
