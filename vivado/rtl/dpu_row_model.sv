/// What a row of dot products computes, for simulation: acc[c] adds +-2^shift * popcount(a & b[c]), modulo 2^48.
module dpu_row_model #(
    parameter int unsigned Bits    = 144,  ///< of a slice of K
    parameter int unsigned Columns = 16
) (
    input  logic                         clk_i,
    input  logic                         valid_i,
    input  logic                         first_i,
    input  logic                         negate_i,
    input  logic [4:0]                   shift_i,
    input  logic [Bits-1:0]              a_i,
    input  logic [Columns-1:0][Bits-1:0] b_i,
    output logic [Columns-1:0][47:0]     acc_o
);
  typedef struct packed {
    logic       valid;
    logic       first;
    logic       negate;
    logic [4:0] shift;
  } operation_t;

  operation_t [4:0] operation_q;
  logic [4:0][Columns-1:0][7:0] count_q;

  always_ff @(posedge clk_i) begin
    operation_q <= {operation_q[3:0], valid_i, first_i, negate_i, shift_i};
    count_q[4:1] <= count_q[3:0];
    for (int c = 0; c < Columns; c++) begin
      count_q[0][c] <= 8'($countones(a_i & b_i[c]));
      if (operation_q[4].valid) begin
        acc_o[c] <= (operation_q[4].first ? '0 : acc_o[c])
            + (48'(count_q[4][c]) << operation_q[4].shift ^ {48{operation_q[4].negate}})
            + 48'(operation_q[4].negate);
      end
    end
  end
endmodule
