/// 32 random bits of an element: noise(seed, e) of the contract's section 5. One element a cycle, latency 7.
module noise (
    input  logic        clk_i,
    input  logic [31:0] key_1_i,
    input  logic [31:4] base_i,    ///< of the element's pixel: noise_base
    input  logic [ 3:0] low_i,
    input  logic [ 3:0] column_i,  ///< the element's four lowest bits
    output logic [31:0] mixed_o    ///< the bits are mixed ^ (mixed >> 16)
);
  logic [3:0] low;
  logic [31:0] a_q, b, b_q, c, c_q, d_q, e, e_q, f, f_q, g;
  assign low = low_i ^ column_i;
  mix_add #(.Right(11), .Left(5)) u_b (.x_i(a_q), .sum_o(b));
  mix_add #(.Right(16), .Left(4)) u_c (.x_i(b_q), .sum_o(c));
  mix_add #(.Right(14), .Left(13)) u_e (.x_i(d_q), .sum_o(e));
  mix_add #(.Right(11), .Left(5)) u_f (.x_i(e_q), .sum_o(f));
  mix_add #(.Right(16), .Left(4)) u_g (.x_i(f_q), .sum_o(g));
  always_ff @(posedge clk_i) begin
    a_q     <= {base_i[31:13] + 19'(low), base_i[12:4], low};
    b_q     <= b;
    c_q     <= c;
    d_q     <= c_q + key_1_i;
    e_q     <= e;
    f_q     <= f;
    mixed_o <= g;
  end
endmodule
