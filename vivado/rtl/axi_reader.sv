/// Reads byte ranges over AXI4 and gives each as a stream of full beats that begins with the range's first byte.
///
/// One beat of the bus per cycle, also over back-to-back requests; the one exception is a range on a beat boundary that
/// follows one that is not (a cycle, as the stream owes its last beat). Latency is two cycles beyond the memory's.
module axi_reader #(
    parameter  int unsigned BusBytes       = 8,                 ///< width of the bus
    parameter  int unsigned MaxOutstanding = 8,                 ///< bursts in flight at once, a power of two
    localparam int unsigned DataBits       = 8 * BusBytes,
    localparam int unsigned OffsetBits     = $clog2(BusBytes)
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                flush_i,        ///< hold until idle_o: requests are dropped, answers swallowed
    output logic                idle_o,         ///< nothing is in flight or kept
    input  logic                req_valid_i,
    output logic                req_ready_o,
    input  logic [31:0]         req_addr_i,     ///< bus address of the first byte, even
    input  logic [17:0]         req_bytes_i,    ///< 1..262000
    output logic                data_valid_o,
    input  logic                data_ready_i,
    output logic [DataBits-1:0] data_o,         ///< bytes past the range's end are undefined
    output logic                data_last_o,    ///< the request's last beat
    output logic                data_error_o,   ///< a byte of this beat was answered with an error
    output logic                ar_valid_o,
    input  logic                ar_ready_i,
    output logic [31:0]         ar_addr_o,
    output logic [ 7:0]         ar_len_o,
    input  logic                r_valid_i,
    output logic                r_ready_o,
    input  logic [DataBits-1:0] r_data_i,
    input  logic [ 1:0]         r_resp_i,
    input  logic                r_last_i
);
  if (BusBytes < 8 || BusBytes > 64 || 2 ** OffsetBits != BusBytes) begin : gen_bad_bus
    $error("axi_reader: BusBytes is not a power of two in 8..64");
  end

  // What the data side must know of a burst.
  typedef struct packed {
    logic                  first;     // of its request
    logic                  last;
    logic [OffsetBits-1:0] offset;    // where the request begins in its first beat
    logic                  owes;      // the stream has one beat more than those that the bus completes
  } burst_t;

  // Stage 0: addresses.
  logic split_valid, split_ready, split_extra, queue_full, queue_empty, ar_take;
  logic [31:0] split_addr;
  logic [3:0] split_len;
  logic [OffsetBits-1:0] split_offset, unused_end;
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
      .burst_len_o  (split_len),
      .first_o      (split_burst.first),
      .last_o       (split_burst.last),
      .begin_o      (split_offset),
      .end_o        (unused_end),
      .shift_extra_o(split_extra)
  );
  assign split_burst.offset = split_offset;
  assign split_burst.owes   = split_offset != '0 && !split_extra;
  assign split_ready = (!ar_valid_o || ar_ready_i) && !queue_full;
  assign ar_take     = split_valid && split_ready && !flush_i;

  always_ff @(posedge clk_i) begin
    if (ar_take) begin
      ar_addr_o <= split_addr;
      ar_len_o  <= {4'd0, split_len};
    end
    if (!rst_ni) ar_valid_o <= 1'b0;
    else if (ar_take) ar_valid_o <= 1'b1;
    else if (ar_ready_i) ar_valid_o <= 1'b0;
  end

  sync_fifo #(.Width($bits(burst_t)), .Depth(MaxOutstanding)) u_bursts (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i (ar_take),
      .data_i (split_burst),
      .pop_i  (r_valid_i && r_ready_o && r_last_i),
      .data_o (burst),
      .full_o (queue_full),
      .empty_o(queue_empty)
  );

  // Stage 1: the bus's beat, rotated so that every byte is where the stream wants it, but for a step of two bytes.
  logic turned_valid_q, turned_error_q, turned_first_q, turned_last_q, turned_owes_q, turned_ready;
  logic burst_begun_q;
  logic [OffsetBits-1:0] turned_offset_q;
  logic [DataBits-1:0] turned_q, turned_d;

  assign r_ready_o = !turned_valid_q || turned_ready || flush_i;
  rotate #(.Bytes(BusBytes)) u_rotate (.data_i(r_data_i), .shift_i(burst.offset[OffsetBits-1:2]), .data_o(turned_d));

  always_ff @(posedge clk_i) begin
    if (r_valid_i && r_ready_o) begin
      turned_q        <= turned_d;
      turned_error_q  <= r_resp_i[1];
      turned_first_q  <= burst.first && !burst_begun_q;
      turned_last_q   <= burst.last && r_last_i;
      turned_owes_q   <= burst.owes;
      turned_offset_q <= burst.offset;
      burst_begun_q   <= !r_last_i;
    end
    if (r_ready_o) turned_valid_q <= r_valid_i;
    if (!rst_ni || flush_i) turned_valid_q <= 1'b0;
    if (!rst_ni) burst_begun_q <= 1'b0;
  end

  // Stage 2: bytes of the beat before and of this one make a beat of the stream.
  logic owed_q, kept_error_q, kept_turn_q, aligned, completes;
  logic [DataBits-1:0] kept_q;

  assign aligned      = turned_offset_q == '0;
  assign completes    = aligned || !turned_first_q;
  assign data_valid_o = owed_q || (turned_valid_q && completes);
  assign data_last_o  = owed_q || (turned_last_q && !(turned_owes_q && !aligned));
  assign data_error_o = (owed_q || !aligned) ? kept_error_q || (!owed_q && turned_error_q)
                                             : turned_error_q;
  // A beat that completes nothing may come in together with one that is owed.
  assign turned_ready = completes ? !owed_q && data_ready_i : !owed_q || data_ready_i;

  logic [BusBytes-1:0] from_kept;
  assign from_kept = owed_q ? '1 : aligned ? '0 : ~({BusBytes{1'b1}} << (OffsetBits'(0) - turned_offset_q));

  // A beat that is owed lies in kept_q alone; its request's offset went with it.
  join_beats #(.Bytes(BusBytes)) u_join (
      .kept_i     (kept_q),
      .next_i     (turned_q),
      .turn_i     (owed_q ? kept_turn_q : turned_offset_q[1]),
      .from_kept_i(from_kept),
      .data_o
  );

  always_ff @(posedge clk_i) begin
    if (turned_valid_q && turned_ready) begin
      kept_q       <= turned_q;
      kept_error_q <= turned_error_q;
      kept_turn_q  <= turned_offset_q[1];
    end
    if (!rst_ni || flush_i) owed_q <= 1'b0;
    else if (turned_valid_q && turned_ready) owed_q <= turned_last_q && turned_owes_q;
    else if (data_ready_i) owed_q <= 1'b0;
  end

  assign idle_o = !split_valid && !ar_valid_o && queue_empty && !turned_valid_q && !owed_q;

  logic unused;
  assign unused = &{1'b0, unused_end, r_resp_i[0]};
endmodule
