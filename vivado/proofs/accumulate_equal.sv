/// The accumulator in its DSP48E1, with its control, against the arithmetic it implements; ok_o must always be 1.
module accumulate_equal
  import core_pkg::*;
#(
    parameter int unsigned CountBits = 8
) (
    input  logic                 clk_i,
    input  logic                 valid_i,
    input  logic                 first_i,
    input  logic                 negate_i,
    input  logic [          4:0] shift_i,
    input  logic [CountBits-1:0] count_i,  ///< of the operation CountLatency cycles ago
    output logic                 ok_o
);
  logic [17:0] weight;
  logic high, first, valid;
  logic [47:0] acc;

  dpu_control u_control (
      .clk_i, .valid_i, .first_i, .negate_i, .shift_i, .weight_o(weight), .high_o(high), .first_o(first),
          .valid_o(valid)
  );
  accumulate_dsp #(.CountBits(CountBits)) u_dut (
      .clk_i, .count_i, .weight_i(weight), .high_i(high), .first_i(first), .valid_i(valid), .acc_o(acc)
  );

  typedef struct packed {
    logic       valid;
    logic       first;
    logic       negate;
    logic [4:0] shift;
  } operation_t;
  operation_t [DpuLatency-2:0] operation_q;
  operation_t operation;
  logic [AccumulateLatency-2:0][CountBits-1:0] count_q;
  logic [47:0] term, acc_q;

  assign operation = operation_q[DpuLatency-2];
  assign term      = 48'(count_q[AccumulateLatency-2]) << operation.shift;
  always_ff @(posedge clk_i) begin
    operation_q <= {operation_q[DpuLatency-3:0], valid_i, first_i, negate_i, shift_i};
    count_q     <= {count_q[AccumulateLatency-3:0], count_i};
    if (operation.valid) acc_q <= (operation.first ? '0 : acc_q) + (operation.negate ? -term : term);
  end
  assign ok_o = acc == acc_q;
endmodule
