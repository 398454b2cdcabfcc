/// Writes byte ranges over AXI4, each from a stream of full beats whose first byte goes to the range's first byte.
///
/// One beat of the bus per cycle, also over back-to-back requests. Only the range's bytes are strobed. A burst's
/// address and data are offered independently, so a memory may take them in either order.
module axi_writer #(
    parameter  int unsigned BusBytes       = 8,                 ///< width of the bus
    parameter  int unsigned MaxOutstanding = 8,                 ///< bursts without a response at once, a power of two
    localparam int unsigned DataBits       = 8 * BusBytes,
    localparam int unsigned OffsetBits     = $clog2(BusBytes)
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                flush_i,        ///< hold until idle_o: begun bursts end without strobes, others not
    output logic                idle_o,         ///< every response is in
    output logic                error_o,        ///< a response was an error; sticky, cleared by flush_i
    input  logic                req_valid_i,
    output logic                req_ready_o,
    input  logic [31:0]         req_addr_i,     ///< bus address of the first byte, even
    input  logic [17:0]         req_bytes_i,    ///< 1..262000
    input  logic                data_valid_i,
    output logic                data_ready_o,
    input  logic [DataBits-1:0] data_i,         ///< bytes past the range's end are ignored
    output logic                aw_valid_o,
    input  logic                aw_ready_i,
    output logic [31:0]         aw_addr_o,
    output logic [ 7:0]         aw_len_o,
    output logic                w_valid_o,
    input  logic                w_ready_i,
    output logic [DataBits-1:0] w_data_o,
    output logic [BusBytes-1:0] w_strb_o,
    output logic                w_last_o,
    input  logic                b_valid_i,
    output logic                b_ready_o,
    input  logic [ 1:0]         b_resp_i
);
  if (BusBytes < 8 || BusBytes > 64 || 2 ** OffsetBits != BusBytes) begin : gen_bad_bus
    $error("axi_writer: BusBytes is not a power of two in 8..64");
  end

  // What the data side must know of a burst.
  typedef struct packed {
    logic [3:0]            len;      // beats minus 1
    logic                  first;    // of its request
    logic                  last;
    logic [OffsetBits-1:0] offset;   // where the request begins in its first beat
    logic [OffsetBits-1:0] finish;   // its last byte in its last beat
    logic                  extra;    // the last beat of the bus takes none of the stream
  } burst_t;

  localparam int unsigned CountBits = $clog2(MaxOutstanding) + 1;
  localparam logic [CountBits-1:0] Most = CountBits'(MaxOutstanding);

  // Stage 0: addresses. A burst is counted until its response is in.
  logic split_valid, split_ready, queue_empty, queue_full, aw_take, burst_done;
  logic [31:0] split_addr;
  logic [CountBits-1:0] outstanding_q;
  burst_t split_burst, burst;

  burst_split #(.BusBytes(BusBytes)) u_split (
      .clk_i,
      .rst_ni,
      .drop_i       (flush_i),
      .req_valid_i,
      .req_ready_o,
      .req_addr_i,
      .req_bytes_i,
      .burst_valid_o(split_valid),
      .burst_ready_i(split_ready),
      .burst_addr_o (split_addr),
      .burst_len_o  (split_burst.len),
      .first_o      (split_burst.first),
      .last_o       (split_burst.last),
      .begin_o      (split_burst.offset),
      .end_o        (split_burst.finish),
      .shift_extra_o(split_burst.extra)
  );
  assign split_ready = (!aw_valid_o || aw_ready_i) && outstanding_q != Most && !queue_full;
  assign aw_take     = split_valid && split_ready && !flush_i;
  assign b_ready_o   = 1'b1;

  always_ff @(posedge clk_i) begin
    if (aw_take) begin
      aw_addr_o <= split_addr;
      aw_len_o  <= {4'd0, split_burst.len};
    end
    if (!rst_ni) aw_valid_o <= 1'b0;
    else if (aw_take) aw_valid_o <= 1'b1;
    else if (aw_ready_i) aw_valid_o <= 1'b0;
    if (!rst_ni) outstanding_q <= '0;
    else outstanding_q <= outstanding_q + CountBits'(aw_take) - CountBits'(b_valid_i);
    if (!rst_ni || flush_i) error_o <= 1'b0;
    else if (b_valid_i && b_resp_i[1]) error_o <= 1'b1;
  end

  sync_fifo #(.Width($bits(burst_t)), .Depth(MaxOutstanding), .Head(1'b1)) u_bursts (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i (aw_take),
      .data_i (split_burst),
      .pop_i  (burst_done),
      .data_o (burst),
      .full_o (queue_full),
      .empty_o(queue_empty)
  );

  // Stage 1: bytes of the stream's beat before and of this one, rotated, make a beat of the bus.
  logic [3:0] beat_q;   // of the burst
  logic w_free, w_make, burst_last, request_first, request_last, needs_data;
  logic [DataBits-1:0] turned, kept_q, merged;   // turned and kept_q: but for a step of two bytes
  logic [OffsetBits-1:0] turn;
  logic [BusBytes-1:0] strobe;

  assign burst_last    = beat_q == burst.len;
  assign request_first = burst.first && beat_q == '0;
  assign request_last  = burst.last && burst_last;
  assign needs_data    = !(request_last && burst.extra);
  assign w_free        = !w_valid_o || w_ready_i;
  assign w_make        = w_free && !queue_empty && (flush_i || data_valid_i || !needs_data);
  assign data_ready_o  = w_free && !queue_empty && !flush_i && needs_data;
  assign burst_done    = w_make && burst_last;
  assign turn          = OffsetBits'(0) - burst.offset;

  logic [BusBytes-1:0] before_begin, behind_end;
  assign before_begin = ~({BusBytes{1'b1}} << burst.offset);
  assign behind_end   = {{BusBytes - 1{1'b1}}, 1'b0} << burst.finish;
  assign strobe       = (request_first ? ~before_begin : '1) & (request_last ? ~behind_end : '1);

  rotate #(.Bytes(BusBytes)) u_rotate (.data_i, .shift_i(turn[OffsetBits-1:2]), .data_o(turned));
  join_beats #(.Bytes(BusBytes)) u_join (
      .kept_i     (kept_q),
      .next_i     (turned),
      .turn_i     (turn[1]),
      .from_kept_i(before_begin),
      .data_o     (merged)
  );

  always_ff @(posedge clk_i) begin
    if (w_make) begin
      w_data_o <= merged;
      w_strb_o <= flush_i ? '0 : strobe;
      w_last_o <= burst_last;
      kept_q   <= turned;
      beat_q   <= burst_last ? '0 : beat_q + 4'd1;
    end
    if (!rst_ni) w_valid_o <= 1'b0;
    else if (w_free) w_valid_o <= w_make;
    if (!rst_ni) beat_q <= '0;
  end

  assign idle_o = !split_valid && !aw_valid_o && outstanding_q == '0;

  logic unused;
  assign unused = &{1'b0, b_resp_i[0], turn[0]};
endmodule
