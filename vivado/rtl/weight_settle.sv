/// Jobs in a queue, each shown some cycles after it came: what it has written is in memory by then.
module weight_settle
  import weight_pkg::*;
#(
    parameter int unsigned Cycles = 24
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        valid_i,
    input  placed_job_t job_i,
    output logic        valid_o,
    input  logic        take_i,
    output placed_job_t job_o
);
  logic [Cycles-1:0] wait_q;
  logic [2:0] settled_q;  // jobs in the queue that may be shown
  logic unused_full, unused_empty;
  always_ff @(posedge clk_i) begin
    wait_q    <= rst_ni ? {wait_q[Cycles-2:0], valid_i} : '0;
    settled_q <= rst_ni ? settled_q + 3'(wait_q[Cycles-1]) - 3'(take_i) : '0;
  end
  sync_fifo #(.Width($bits(placed_job_t)), .Depth(4)) u_jobs (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i (valid_i),
      .data_i (job_i),
      .pop_i  (take_i),
      .data_o (job_o),
      .full_o (unused_full),
      .empty_o(unused_empty)
  );
  assign valid_o = settled_q != '0;

  logic unused;
  assign unused = &{1'b0, unused_full, unused_empty};
endmodule
