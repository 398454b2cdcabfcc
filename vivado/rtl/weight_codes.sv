/// WEIGHTS, once its headers are judged: codes by output and by input channel, and their units.
///
///     squares --jobs--> coder --codes--> transpose --planes--> tiles --> store
///        |                ^  \---codes---> lines -----planes--> tiles --> store
///        +--maxima---> scales ---------------------------------records--> store
///
/// Up to two jobs are between the coder and the end of the transposer, two in the tiles of either side.
module weight_codes
  import contract_pkg::*;
  import command_pkg::*;
  import vector_pkg::*;
  import weight_pkg::*;
#(
    parameter  int unsigned BusBytes = 8,
    localparam int unsigned DataBits = 8 * BusBytes
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                start_i,
    input  words_t              words_i,         ///< this and the next two stay until done_o
    input  shape_t              shape_i,
    input  sizes_t              sizes_i,
    output logic                done_o,          ///< one cycle: all has been given to the writer
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
  localparam int unsigned Lanes    = BusBytes > 16 ? 4 : 2;  // weights a cycle
  localparam int unsigned Settle   = 24 + 16 * (Lanes - 1);  // cycles until planes that are handed over are in memory
  localparam int unsigned Parts    = 16 / Lanes;
  localparam int unsigned PartBits = $clog2(Parts);

  logic half;
  logic [4:0] bits, interval;  // of the command, like what follows
  logic [3:0] kernel_w;
  logic [7:0] row_words;
  assign half     = words_i[WEIGHT_FIELD_FLAGS_WORD][WEIGHT_FLAG_HALF];
  assign bits     = words_i[WEIGHT_FIELD_BITS_WORD][12:8];
  assign kernel_w = words_i[WEIGHT_FIELD_KERNEL_W_WORD][11:8];
  always_ff @(posedge clk_i) begin
    row_words <= 8'(8'(kernel_w) * 8'(bits));
    interval  <= kernel_w[0] ? (bits + 5'd3) >> 2 : bits;  // cycles in which weight_tiles takes the planes of a line
  end

  // What is read, in order.
  request_t request;
  logic maxima, side, order_full, order_empty, head_maxima, head_side;
  logic square_valid, square_ready, new_job_valid, new_job_ready;
  square_t new_square, square;
  job_t new_job, job;
  weight_squares u_squares (
      .clk_i,
      .rst_ni,
      .start_i,
      .words_i,
      .shape_i,
      .sizes_i,
      .rd_req_o      (request),
      .rd_req_ready_i(rd_req_ready_i && !order_full),
      .maxima_o      (maxima),
      .side_o        (side),
      .square_valid_o(square_valid),
      .square_ready_i(square_ready),
      .square_o      (new_square),
      .job_valid_o   (new_job_valid),
      .job_ready_i   (new_job_ready),
      .job_o         (new_job)
  );
  always_comb begin
    rd_req_o       = request;
    rd_req_o.valid = request.valid && !order_full;
  end
  sync_fifo #(.Width(2), .Depth(32)) u_order (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i (rd_req_o.valid && rd_req_ready_i),
      .data_i ({maxima, side}),
      .pop_i  (rd_valid_i && rd_ready_o && rd_last_i),
      .data_o ({head_maxima, head_side}),
      .full_o (order_full),
      .empty_o(order_empty)
  );
  logic squares_full, squares_empty, jobs_full, jobs_empty, square_done, job_done;
  assign square_ready  = !squares_full;
  assign new_job_ready = !jobs_full;
  sync_fifo #(.Width($bits(square_t)), .Depth(4)) u_square_queue (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i (square_valid && !squares_full),
      .data_i (new_square),
      .pop_i  (square_done),
      .data_o (square),
      .full_o (squares_full),
      .empty_o(squares_empty)
  );
  sync_fifo #(.Width($bits(job_t)), .Depth(4)) u_job_queue (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i (new_job_valid && !jobs_full),
      .data_i (new_job),
      .pop_i  (job_done),
      .data_o (job),
      .full_o (jobs_full),
      .empty_o(jobs_empty)
  );

  logic maxima_ready, words_ready, write, write_side, write_table;
  logic [3:0] write_channel;
  scale_t scale;
  assign rd_ready_o = !order_empty && (head_maxima ? maxima_ready : words_ready);
  logic unit_valid, records_full, records_empty, record_take;
  record_t unit, record;
  weight_scales #(.BusBytes(BusBytes)) u_scales (
      .clk_i,
      .rst_ni,
      .half_i         (half),
      .bits_i         (bits),
      .units_out_i    (words_i[WEIGHT_FIELD_UNITS_ADDR_WORD] + 32'd64),
      .units_in_i     (words_i[WEIGHT_FIELD_UNITS_IN_ADDR_WORD] + 32'd64),
      .square_valid_i (!squares_empty),
      .square_i       (square),
      .maxima_valid_i (rd_valid_i && !order_empty && head_maxima),
      .maxima_ready_o (maxima_ready),
      .side_i         (head_side),
      .maxima_last_i  (rd_last_i),
      .maxima_i       (rd_data_i),
      .write_o        (write),
      .write_side_o   (write_side),
      .write_table_o  (write_table),
      .write_channel_o(write_channel),
      .scale_o        (scale),
      .done_o         (square_done),
      .record_valid_o (unit_valid),
      .record_ready_i (!records_full),
      .record_o       (unit)
  );

  // The units of the first square, which its codes need not wait for; they leave after the first of these.
  sync_fifo #(.Width($bits(record_t)), .Depth(32)) u_records (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i (unit_valid && !records_full),
      .data_i (unit),
      .pop_i  (record_take),
      .data_o (record),
      .full_o (records_full),
      .empty_o(records_empty)
  );

  // Jobs on their way: coded but not yet transposed, in the tiles of either side, and squares whose scales are ready.
  logic [1:0] coding_q, in_sets_q, out_sets_q;
  logic [3:0] scaled_q;
  logic started_q, job_may, job_starts, half_q, transpose_start, transpose_done;
  logic [1:0] take;
  assign job_may    = started_q || (coding_q != 2'd2 && in_sets_q != 2'd2 && scaled_q != '0);
  assign job_starts = !jobs_empty && job_may && !started_q;
  always_ff @(posedge clk_i) begin
    if (job_done) half_q <= !half_q;
    started_q  <= !jobs_empty && job_may && !job_done;
    coding_q   <= coding_q + 2'(job_starts) - 2'(transpose_done);
    in_sets_q  <= in_sets_q + 2'(job_starts) - 2'(take[1]);
    out_sets_q <= out_sets_q + 2'(transpose_start) - 2'(take[0]);
    scaled_q   <= scaled_q + 4'(square_done) - 4'(job_done && job.ends);
    if (!rst_ni) {half_q, started_q, coding_q, in_sets_q, out_sets_q, scaled_q} <= '0;
  end

  logic code_valid, code_last;
  logic [3:0] ci, tap;
  logic [PartBits-1:0] part;
  logic [7:0] in_place;
  logic [Lanes-1:0][15:0] out_codes, in_codes;
  weight_coder #(.BusBytes(BusBytes), .Lanes(Lanes)) u_coder (
      .clk_i,
      .rst_ni,
      .half_i         (half),
      .bits_i         (bits),
      .interval_i     (interval),
      .kernel_w_i     (kernel_w),
      .row_words_i    (row_words),
      .write_i        (write),
      .write_side_i   (write_side),
      .write_table_i  (write_table),
      .write_channel_i(write_channel),
      .scale_i        (scale),
      .job_valid_i    (!jobs_empty && job_may),
      .job_i          (job),
      .job_done_o     (job_done),
      .words_valid_i  (rd_valid_i && !order_empty && !head_maxima),
      .words_ready_o  (words_ready),
      .words_i        (rd_data_i),
      .valid_o        (code_valid),
      .last_o         (code_last),
      .ci_o           (ci),
      .tap_o          (tap),
      .part_o         (part),
      .place_o        (in_place),
      .out_codes_o    (out_codes),
      .in_codes_o     (in_codes)
  );

  // The job whose codes come, and the one whose codes are transposed.
  placed_job_t coded_q, turned, out_job, in_job;
  logic code_half_q, turned_empty, unused_full;
  always_ff @(posedge clk_i) begin
    if (job_done) coded_q <= '{half: half_q, job: job};
    if (code_last) code_half_q <= !code_half_q;
    if (!rst_ni) code_half_q <= 1'b0;
  end
  sync_fifo #(.Width($bits(placed_job_t)), .Depth(4)) u_coded (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i (code_last),
      .data_i (coded_q),
      .pop_i  (transpose_done),
      .data_o (turned),
      .full_o (unused_full),
      .empty_o(turned_empty)
  );

  // Planes by output channel.
  logic transpose_idle, planes_valid, planes_ready;
  logic [3:0] co, read_channel;
  logic [7:0] out_place;
  logic [5:0] read_at;
  logic [Lanes-1:0][15:0][15:0] out_planes;
  logic [15:0][15:0] in_planes;
  logic [1:0][63:0] data;
  assign transpose_start = transpose_idle && !turned_empty && out_sets_q != 2'd2 && !transpose_done;
  weight_transpose #(.Lanes(Lanes)) u_transpose (
      .clk_i,
      .rst_ni,
      .kernel_w_i    (kernel_w),
      .row_words_i   (row_words),
      .valid_i       (code_valid),
      .half_i        (code_half_q),
      .ci_i          (ci),
      .tap_i         (tap),
      .part_i        (part),
      .codes_i       (out_codes),
      .start_i       (transpose_start),
      .read_half_i   (turned.half),
      .taps_i        (turned.job.taps),
      .idle_o        (transpose_idle),
      .done_o        (transpose_done),
      .planes_valid_o(planes_valid),
      .planes_ready_i(planes_ready),
      .co_o          (co),
      .place_o       (out_place),
      .planes_o      (out_planes)
  );
  weight_tiles #(.Channels(Lanes)) u_out_tiles (
      .clk_i,
      .rst_ni,
      .bits_i        (bits),
      .kernel_w_i    (kernel_w),
      .valid_i       (planes_valid),
      .ready_o       (planes_ready),
      .set_i         (turned.half),
      .channel_i     (co),
      .place_i       (out_place),
      .planes_i      (out_planes),
      .read_set_i    (out_job.half),
      .read_channel_i(read_channel),
      .read_i        (read_at),
      .data_o        (data[0])
  );

  // Planes by input channel: a line has them at once.
  logic line_valid, line_half_q, in_ready;
  logic [3:0] line_ci_q;
  logic [7:0] line_place_q;
  weight_lines #(.Lanes(Lanes)) u_lines (
      .clk_i,
      .rst_ni,
      .valid_i (code_valid),
      .last_i  (part == '1),
      .codes_i (in_codes),
      .valid_o (line_valid),
      .planes_o(in_planes)
  );
  always_ff @(posedge clk_i) {line_half_q, line_ci_q, line_place_q} <= {code_half_q, ci, in_place};
  weight_tiles u_in_tiles (
      .clk_i,
      .rst_ni,
      .bits_i        (bits),
      .kernel_w_i    (kernel_w),
      .valid_i       (line_valid),
      .ready_o       (in_ready),
      .set_i         (line_half_q),
      .channel_i     (line_ci_q),
      .place_i       (line_place_q),
      .planes_i      (in_planes),
      .read_set_i    (in_job.half),
      .read_channel_i(read_channel),
      .read_i        (read_at),
      .data_o        (data[1])
  );

  // The store.
  logic [1:0] tiles_valid;
  logic store_idle;
  weight_settle #(.Cycles(Settle)) u_out_settle (
      .clk_i,
      .rst_ni,
      .valid_i(transpose_done),
      .job_i  (turned),
      .valid_o(tiles_valid[0]),
      .take_i (take[0]),
      .job_o  (out_job)
  );
  weight_settle u_in_settle (
      .clk_i,
      .rst_ni,
      .valid_i(code_last),
      .job_i  (coded_q),
      .valid_o(tiles_valid[1]),
      .take_i (take[1]),
      .job_o  (in_job)
  );
  weight_code_store #(.BusBytes(BusBytes)) u_store (
      .clk_i,
      .rst_ni,
      .start_i,
      .out_image_i   (sizes_i.out_image),
      .in_image_i    (sizes_i.in_image),
      .valid_i       (tiles_valid),
      .job_i         ({in_job.job, out_job.job}),
      .take_o        (take),
      .record_valid_i(!records_empty),
      .record_take_o (record_take),
      .record_i      (record),
      .read_channel_o(read_channel),
      .read_o        (read_at),
      .data_i        (data),
      .idle_o        (store_idle),
      .wr_req_o,
      .wr_req_ready_i,
      .wr_valid_o,
      .wr_ready_i,
      .wr_data_o,
      .wr_idle_i
  );

  // The end: the last job has left on both sides.
  logic [1:0] left_q;
  always_ff @(posedge clk_i) begin
    if (take[0] && out_job.job.last) left_q[0] <= 1'b1;
    if (take[1] && in_job.job.last) left_q[1] <= 1'b1;
    done_o <= left_q == '1 && store_idle && !done_o;
    if (!rst_ni || done_o || start_i) left_q <= '0;
    if (!rst_ni) done_o <= 1'b0;
  end

  logic unused;
  assign unused = &{1'b0, words_i, shape_i, unused_full};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (rst_ni) no_line_is_lost : assert (!line_valid || in_ready);
`else
  logic unused_in_ready;
  assign unused_in_ready = in_ready;
`endif
endmodule
