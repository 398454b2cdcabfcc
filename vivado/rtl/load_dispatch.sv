/// Hands the read stream to the writers, request by request, and counts the row steps that all of them have written.
module load_dispatch
  import contract_pkg::*;
  import core_pkg::*;
#(
    parameter  build_t      Build      = BUILD_TINY,
    parameter  int unsigned Writers    = 2,
    localparam int unsigned BusBytes   = Build.bus_bytes,
    localparam int unsigned WriterBits = $clog2(Writers)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic [           4:0] b_bits_i,
    input  logic [          15:0] row_words_i,
    input  logic [          16:0] ring_words_i,
    input  logic [          16:0] ring_last_i,
    input  logic                  req_valid_i,    ///< from the loader
    output logic                  req_ready_o,
    input  logic [          31:0] req_addr_i,
    input  logic [          17:0] req_bytes_i,
    input  job_t                  job_i,
    input  logic [WriterBits-1:0] job_writer_i,
    input  logic                  mark_valid_i,
    output logic                  mark_ready_o,
    output logic                  rd_req_valid_o, ///< to the read engine
    input  logic                  rd_req_ready_i,
    output logic [          31:0] rd_req_addr_o,
    output logic [          17:0] rd_req_bytes_o,
    input  logic                  rd_data_valid_i,
    output logic                  rd_data_ready_o,
    input  logic [8*BusBytes-1:0] rd_data_i,
    input  logic                  rd_last_i,
    input  logic                  rd_error_i,
    output logic                  error_o,        ///< a read has failed; no row step is reported from then on
    output logic                  step_loaded_o,
    output logic [Writers-1:0]            lane_valid_o,
    output logic [Writers-1:0][7:0]       lane_o,
    output logic [Writers-1:0][3:0]       bank_write_o,
    output logic [Writers-1:0][3:0][13:0] bank_address_o,
    output logic [Writers-1:0]            triple_valid_o,
    output logic [Writers-1:0][7:0]       triple_o,
    output logic [Writers-1:0][15:0]      entry_o,
    output logic [Writers-1:0][2:0]       word_write_o,
    output logic [Writers-1:0][3:0][15:0] data_o
);
  localparam int unsigned Words       = Build.lane_words > Build.column_words ? Build.lane_words : Build.column_words;
  localparam int unsigned AddressBits = $clog2(Words + 1) > 12 ? $clog2(Words + 1) : 12;  // 12: of a map's width

  logic [Writers-1:0] job_ready, data_ready, mark;
  logic order_full, order_empty, issue;
  logic [WriterBits-1:0] turn;

  assign issue          = req_valid_i && req_ready_o;
  assign rd_req_valid_o = req_valid_i && !order_full && job_ready[job_writer_i];
  assign req_ready_o    = rd_req_ready_i && !order_full && job_ready[job_writer_i];
  assign rd_req_addr_o  = req_addr_i;
  assign rd_req_bytes_o = req_bytes_i;
  assign mark_ready_o   = &job_ready;

  sync_fifo #(.Width(WriterBits), .Depth(64)) u_order (
      .clk_i, .rst_ni, .clear_i(1'b0), .push_i(issue), .data_i(job_writer_i),
      .pop_i(rd_data_valid_i && rd_data_ready_o && rd_last_i), .data_o(turn), .full_o(order_full),
      .empty_o(order_empty)
  );
  assign rd_data_ready_o = !order_empty && data_ready[turn];

  job_t mark_job;
  assign mark_job = '{kind: JobMark, target: '0, address: '0, tail: '0, triple: '0, place: '0, planes: '0, run: '0};

  logic [16:0] row_back_q;
  always_ff @(posedge clk_i) row_back_q <= 17'(row_words_i) - ring_words_i;

  for (genvar w = 0; w < Writers; w++) begin : gen_writer
    load_writer #(
        .BusBytes   (BusBytes),
        .Writers    (Writers),
        .Triples    (Build.slice_groups / 3),
        .AddressBits(AddressBits),
        .InBlockRam (compact(Build.lanes, Build.slice_groups))
    ) u_writer (
        .clk_i,
        .rst_ni,
        .b_bits_i,
        .row_words_i,
        .row_back_i    (row_back_q),
        .row_last_i    (ring_last_i),
        .job_valid_i   ((issue && job_writer_i == WriterBits'(w)) || (mark_valid_i && mark_ready_o)),
        .job_ready_o   (job_ready[w]),
        .job_i         (mark_valid_i ? mark_job : job_i),
        .data_valid_i  (rd_data_valid_i && !order_empty && turn == WriterBits'(w)),
        .data_ready_o  (data_ready[w]),
        .data_i        (rd_data_i),
        .data_last_i   (rd_last_i),
        .mark_o        (mark[w]),
        .lane_valid_o  (lane_valid_o[w]),
        .lane_o        (lane_o[w]),
        .bank_write_o  (bank_write_o[w]),
        .bank_address_o(bank_address_o[w]),
        .triple_valid_o(triple_valid_o[w]),
        .triple_o      (triple_o[w]),
        .entry_o       (entry_o[w]),
        .word_write_o  (word_write_o[w]),
        .data_o        (data_o[w])
    );
  end

  // A step is loaded when its mark has come through all writers.
  logic [Writers-1:0][5:0] marks_q;
  logic [Writers-1:0] marked;
  logic all_marked;
  for (genvar w = 0; w < Writers; w++) begin : gen_marks
    assign marked[w] = marks_q[w] != '0;
    always_ff @(posedge clk_i) begin
      marks_q[w] <= marks_q[w] + 6'(mark[w]) - 6'(all_marked);
      if (!rst_ni) marks_q[w] <= '0;
    end
  end
  assign all_marked    = &marked;
  assign step_loaded_o = all_marked && !error_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) error_o <= 1'b0;
    else if (rd_data_valid_i && rd_data_ready_o && rd_error_i) error_o <= 1'b1;
  end
endmodule
