/// The sum of a row of A: sum of +-2^shift * popcount(a), in step with the row's dot products (DpuLatency).
module row_sum #(
    parameter int unsigned Bits = 144  ///< of a slice
) (
    input  logic            clk_i,
    input  logic            valid_i,   ///< add this slice, else keep
    input  logic            first_i,   ///< begin a new sum with it
    input  logic            negate_i,
    input  logic [     3:0] shift_i,
    input  logic [Bits-1:0] a_i,
    output logic [    31:0] sum_o
);
  localparam int unsigned CountBits = $clog2(Bits + 1);
  typedef struct packed {
    logic       valid;
    logic       first;
    logic       negate;
    logic [3:0] shift;
  } control_t;
  control_t [4:0] control_q;
  always_ff @(posedge clk_i) control_q <= {control_q[3:0], valid_i, first_i, negate_i, shift_i};

  logic [CountBits-1:0] count, count_q;
  count_ones #(.Bits(Bits)) u_count (.clk_i, .x_i(a_i), .count_o(count));

  // The count by 2^shift: first by the lower two bits of the shift, then by the upper two. A negative term lacks 1.
  logic [10:0] low, low_q;
  logic [31:0] term_q;
  select_four #(.Width(11)) u_low (
      .data_i  ({11'({count_q, 3'd0}), 11'({count_q, 2'd0}), 11'({count_q, 1'd0}), 11'(count_q)}),
      .select_i(control_q[2].shift[1:0]),
      .data_o  (low)
  );
  always_ff @(posedge clk_i) begin
    count_q <= count;
    low_q   <= low;
    term_q  <= {32{control_q[3].negate}} ^ 32'({12'd0, low_q} << {control_q[3].shift[3:2], 2'd0});
  end

  logic [32:0] sum;
  assign sum = {term_q, 1'b1} + {sum_o & {32{!control_q[4].first}}, control_q[4].negate};
  always_ff @(posedge clk_i) if (control_q[4].valid) sum_o <= sum[32:1];

  logic unused;
  assign unused = sum[0];
endmodule
