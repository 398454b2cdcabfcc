/// The vector unit without its MAP engine, with the pins of an engine: so its other engines' benches can run on it.
module vector_unit_bench
  import command_pkg::*;
  import vector_pkg::*;
  import rounding_pkg::*;
#(
    parameter  int unsigned BusBytes = 64,
    localparam int unsigned DataBits = 8 * BusBytes
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                start_i,
    input  words_t              words_i,
    input  logic [20:0]         count_i,
    output logic                done_o,          ///< one cycle: complete in memory, or failed; then it is flushed
    output logic [ 7:0]         error_o,
    output request_t            rd_req_o,
    input  logic                rd_req_ready_i,
    input  logic                rd_valid_i,
    output logic                rd_ready_o,
    input  logic [DataBits-1:0] rd_data_i,
    input  logic                rd_last_i,
    output request_t            wr_req_o,
    input  logic                wr_req_ready_i,
    output logic                wr_valid_o,
    input  logic                wr_ready_i,
    output logic [DataBits-1:0] wr_data_o,
    input  logic                wr_idle_i
);
  logic done, failed, flush_q, unused_ready, unused_active;
  lent_t unused_lent;
  logic [7:0] error;
  vector_unit #(.BusBytes(BusBytes), .PortBytes(32), .NarrowBytes(16)) u_unit (
      .clk_i,
      .rst_ni,
      .flush_i        (flush_q),
      .cmd_valid_i    (start_i),
      .cmd_ready_o    (unused_ready),
      .words_i,
      .count_i,
      .mem_base_i     ('0),
      .active_o       (unused_active),
      .done_o         (done),
      .error_o        (error),
      .rd_req_valid_o (rd_req_o.valid),
      .rd_req_ready_i,
      .rd_req_addr_o  (rd_req_o.addr),
      .rd_req_bytes_o (rd_req_o.bytes),
      .rd_data_valid_i(rd_valid_i),
      .rd_data_ready_o(rd_ready_o),
      .rd_data_i,
      .rd_last_i,
      .rd_error_i     (1'b0),
      .wr_req_valid_o (wr_req_o.valid),
      .wr_req_ready_i,
      .wr_req_addr_o  (wr_req_o.addr),
      .wr_req_bytes_o (wr_req_o.bytes),
      .wr_data_valid_o(wr_valid_o),
      .wr_data_ready_i(wr_ready_i),
      .wr_data_o,
      .wr_idle_i,
      .wr_error_i     (1'b0),
      .lent_o         (unused_lent),
      .rounded_i      ('0)
  );
  // Registered, as an engine's are: they do not follow wr_idle_i within a cycle.
  assign failed = error != '0;
  always_ff @(posedge clk_i) begin
    flush_q <= rst_ni && failed && !flush_q;
    done_o  <= rst_ni && (done || (failed && !flush_q));
    error_o <= error;
  end

  logic unused;
  assign unused = &{1'b0, unused_ready, unused_active, unused_lent};
endmodule

// verilator lint_off DECLFILENAME
/// None.
module map_engine
  import command_pkg::*;
  import vector_pkg::*;
  import rounding_pkg::*;
#(
    parameter  int unsigned BusBytes = 8,
    localparam int unsigned DataBits = 8 * BusBytes
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                start_i,
    input  words_t              words_i,
    input  logic [20:0]         count_i,
    output logic                done_o,
    output logic [ 7:0]         error_o,
    output request_t            rd_req_o,
    input  logic                rd_req_ready_i,
    input  logic                rd_valid_i,
    output logic                rd_ready_o,
    input  logic [DataBits-1:0] rd_data_i,
    input  logic                rd_last_i,
    output request_t            wr_req_o,
    input  logic                wr_req_ready_i,
    output logic                wr_valid_o,
    input  logic                wr_ready_i,
    output logic [DataBits-1:0] wr_data_o,
    input  logic                wr_idle_i,
    output lent_t               lent_o,
    input  logic [15:0][15:0]   rounded_i
);
  assign {done_o, error_o, rd_req_o, rd_ready_o, wr_req_o, wr_valid_o, wr_data_o, lent_o} = '0;
  logic unused;
  assign unused = &{1'b0, clk_i, rst_ni, start_i, words_i, count_i, rd_req_ready_i, rd_valid_i, rd_data_i, rd_last_i,
                    wr_req_ready_i, wr_ready_i, wr_idle_i, rounded_i};
endmodule
