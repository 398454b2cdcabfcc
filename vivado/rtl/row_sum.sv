/// The sum of a row of A: sum of +-2^shift * popcount(a), in step with the row's dot products (DpuLatency).
///
/// The upper half is added a cycle after the lower one, whose carry it takes: half the carry chain.
module row_sum
  import core_pkg::*;
#(
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
  localparam int unsigned Low       = CountLatency;      // cycles until the count is there, and how the rest follows
  localparam int unsigned High      = Low + 1;
  localparam int unsigned AddLow    = Low + 2;
  localparam int unsigned AddHigh   = Low + 3;
  if (DpuLatency != AddHigh + 1) begin : gen_bad_latency
    $error("row_sum: not in step with the dot products");
  end

  typedef struct packed {
    logic       valid;
    logic       first;
    logic       negate;
    logic [3:0] shift;
  } control_t;
  control_t [AddHigh:1] control_q;  // [n]: of the slice n cycles ago
  always_ff @(posedge clk_i) control_q <= {control_q[AddHigh-1:1], valid_i, first_i, negate_i, shift_i};

  logic [CountBits-1:0] count;
  count_ones #(.Bits(Bits)) u_count (.clk_i, .x_i(a_i), .count_o(count));

  // The count by 2^shift: first by the lower two bits of the shift, then by the upper two. A negative term lacks 1.
  logic [10:0] low, low_q;
  logic [31:0] term_q;
  logic [15:0] upper_term_q;
  select_four #(.Width(11)) u_low (
      .data_i  ({11'({count, 3'd0}), 11'({count, 2'd0}), 11'({count, 1'd0}), 11'(count)}),
      .select_i(control_q[Low].shift[1:0]),
      .data_o  (low)
  );
  always_ff @(posedge clk_i) begin
    low_q        <= low;
    term_q       <= {32{control_q[High].negate}} ^ 32'({12'd0, low_q} << {control_q[High].shift[3:2], 2'd0});
    upper_term_q <= term_q[31:16];
  end

  logic [17:0] lower;       // with a carry in at its lowest place
  logic [15:0] lower_q;
  logic carry_q;
  assign lower = {1'b0, term_q[15:0], 1'b1}
      + {1'b0, lower_q & {16{!control_q[AddLow].first}}, control_q[AddLow].negate};
  always_ff @(posedge clk_i) begin
    if (control_q[AddLow].valid) {carry_q, lower_q} <= lower[17:1];
    if (control_q[AddHigh].valid) begin
      sum_o <= {16'(upper_term_q + (sum_o[31:16] & {16{!control_q[AddHigh].first}}) + 16'(carry_q)), lower_q};
    end
  end

  logic unused;
  assign unused = &{1'b0, lower[0], control_q};
endmodule
