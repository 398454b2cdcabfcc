/// A job, some cycles later, in a queue: what it has written is in memory by then. Jobs come further apart than that.
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
  placed_job_t job_q;
  logic unused_full, empty;
  always_ff @(posedge clk_i) begin
    wait_q <= rst_ni ? {wait_q[Cycles-2:0], valid_i} : '0;
    if (valid_i) job_q <= job_i;
  end
  sync_fifo #(.Width($bits(placed_job_t)), .Depth(4)) u_jobs (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i (wait_q[Cycles-1]),
      .data_i (job_q),
      .pop_i  (take_i),
      .data_o (job_o),
      .full_o (unused_full),
      .empty_o(empty)
  );
  assign valid_o = !empty;

  logic unused;
  assign unused = unused_full;
endmodule
