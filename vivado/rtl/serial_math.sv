/// One multiplication (3 cycles) or division (33 cycles) of 32-bit numbers at a time, for plans.
module serial_math (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        start_i,   ///< take x_i, y_i; only when idle
    input  logic        divide_i,
    input  logic [31:0] x_i,
    input  logic [31:0] y_i,       ///< not 0 in a division
    output logic        done_o,    ///< one cycle: the result is there
    output logic [31:0] result_o,  ///< x * y modulo 2^32, or x / y
    output logic [31:0] rest_o     ///< x % y
);
  logic [31:0] x_q, y_q, low_q, product_q;
  logic [15:0] sum;
  logic [14:0] carry;  // of the upper half: three numbers are added as two
  logic [15:0] left_high_q, right_high_q;
  logic [31:0] rest_q, quotient_q;
  logic [5:0] left_q;
  logic busy_q, divide_q;
  logic [32:0] trial;

  assign trial    = {rest_q, quotient_q[31]} - {1'b0, y_q};
  assign done_o   = busy_q && left_q == '0;
  assign result_o = divide_q ? quotient_q : product_q;
  assign rest_o   = rest_q;

  assign sum   = low_q[31:16] ^ left_high_q ^ right_high_q;
  assign carry = (low_q[30:16] & left_high_q[14:0]) | ((low_q[30:16] | left_high_q[14:0]) & right_high_q[14:0]);

  always_ff @(posedge clk_i) begin
    low_q        <= 32'(x_q[15:0]) * 32'(y_q[15:0]);
    left_high_q  <= x_q[31:16] * y_q[15:0];
    right_high_q <= x_q[15:0] * y_q[31:16];
    product_q    <= {sum + {carry, 1'b0}, low_q[15:0]};
    if (start_i) begin
      x_q        <= x_i;
      y_q        <= y_i;
      divide_q   <= divide_i;
      quotient_q <= x_i;
      rest_q     <= '0;
      left_q     <= divide_i ? 6'd32 : 6'd2;
    end else if (busy_q && left_q != '0) begin
      left_q     <= left_q - 6'd1;
      rest_q     <= trial[32] ? {rest_q[30:0], quotient_q[31]} : trial[31:0];
      quotient_q <= {quotient_q[30:0], !trial[32]};
    end
    if (!rst_ni) busy_q <= 1'b0;
    else if (start_i) busy_q <= 1'b1;
    else if (done_o) busy_q <= 1'b0;
  end
endmodule
