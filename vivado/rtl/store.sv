/// Writes complete segments to memory, lane by lane: the results of a lane's row or a part of it, and its row sums.
///
/// One side asks for the writes, the other reads the store buffer for them: in a cycle two pieces, a bit plane, or
/// eight row sums. The planes of a whole row of 8, 16 or 32 pixels follow each other in memory: they are one write. So
/// are the three columns of a kernel row, which three lanes have. After the last segment of a block comes its tally, if
/// there is one: 64 bytes a cycle, in order behind the results.
module store
  import contract_pkg::*;
  import core_pkg::*;
#(
    parameter  build_t      Build      = BUILD_TINY,
    parameter  bit          VectorUnit = 1'b0,        ///< there are tallies
    localparam int unsigned BusBytes = Build.bus_bytes,
    localparam int unsigned LaneBits = $clog2(Build.lanes),
    localparam int unsigned PlaceBits = $clog2(TableRows * Build.lanes / 2)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  plan_t                 plan_i,
    input  logic                  open_valid_i,    ///< a segment has begun to fill
    input  segment_t              open_segment_i,
    input  logic                  closed_i,        ///< the oldest open segment is complete
    output logic                  slot_free_o,     ///< a segment is read out
    output logic                  idle_o,          ///< no segment is open
    output logic [PlaceBits-1:0]  table_place_o,   ///< of two lanes, a cycle later:
    input  logic [           1:0] table_live_i,
    input  logic [      1:0][31:0] table_address_i,
    input  logic [      1:0][31:0] table_sums_i,
    output logic                  buffer_read_o,
    output logic [           7:0] buffer_lane_o,
    output logic [           4:0] buffer_place_o,
    output logic                  buffer_plane_o,
    output logic [           3:0] buffer_word_o,
    output logic [           2:0] buffer_sums_o,
    output logic                  buffer_turn_o,
    input  logic [         511:0] buffer_data_i,
    input  logic [         255:0] buffer_sums_i,
    output logic                  tally_read_o,    ///< read a tally, in step with the buffer
    output logic                  tally_header_o,  ///< its header, else two of its records
    output logic [SlotBits-1:0]   tally_slot_o,
    output logic [           2:0] tally_pair_o,
    input  logic [         511:0] tally_data_i,
    output logic                  req_valid_o,
    input  logic                  req_ready_i,
    output logic [          31:0] req_addr_o,
    output logic [          17:0] req_bytes_o,
    output logic                  data_valid_o,
    input  logic                  data_ready_i,
    output logic [8*BusBytes-1:0] data_o
);
  typedef enum logic [2:0] { Pieces, Plane, Sums, Tally, Free } what_e;
  typedef enum logic [1:0] { Idle, Fetch, Ask } state_e;

  /// What the reading side does for one request.
  typedef struct packed {
    what_e       what;
    logic [ 2:0] slot;
    logic [ 7:0] lane;   // Tally: its slot
    logic [ 3:0] plane;  // the first
    logic [ 4:0] reads;
    logic        lanes;  // a read of each third lane, else all of one; Tally: the first read is the header
    logic [ 1:0] parts;  // reads that fill a chunk of 64 bytes: 1, 2 or 4, less 1
    logic [ 7:0] beats;
  } item_t;

  plan_t p;
  assign p = plan_i;
  logic planes, joined;
  assign planes = 32'(p.c.out_format) == FORMAT_PLANES;
  assign joined = p.c.y_width inside {12'd8, 12'd16, 12'd32};
  logic [17:0] row_bytes_q;  // of the planes of a joined row
  always_ff @(posedge clk_i)
    row_bytes_q <= 18'(p.c.out_bits) << (p.c.y_width[5] ? 6 : p.c.y_width[4] ? 5 : 4);

  // Segments, opened and closed in order, each with its row's place in the table.
  segment_t segment;
  logic [PlaceBits-1:0] row_place;
  logic segments_empty, unused_full, segment_pop, segment_start;
  logic [3:0] open_q, closed_q;
  sync_fifo #(.Width(PlaceBits + $bits(segment_t)), .Depth(8), .Head(1'b1)) u_segments (
      .clk_i, .rst_ni, .clear_i(1'b0), .push_i(open_valid_i),
      .data_i({PlaceBits'(32'(open_segment_i.row) * (Build.lanes / 2)), open_segment_i}), .pop_i(segment_pop),
      .data_o({row_place, segment}), .full_o(unused_full), .empty_o(segments_empty)
  );
  always_ff @(posedge clk_i) begin
    open_q   <= open_q + 4'(open_valid_i) - 4'(slot_free_o);
    closed_q <= closed_q + 4'(closed_i) - 4'(segment_pop);
    if (!rst_ni) begin
      open_q   <= '0;
      closed_q <= '0;
    end
  end
  logic requests_full, requests_empty;
  assign idle_o = open_q == '0 && !open_valid_i && requests_empty;

  // Asking: for each live lane the results (each plane of them), then the row sums.
  state_e state_q;
  logic [LaneBits-1:0] lane_q;
  what_e what_q;
  logic [3:0] plane_q;
  logic lane_last, plane_last, what_last, asked, lane_ends, freeing_q;
  logic tally_q;  // the lanes are done, their block's tally is asked for
  logic head;     // with its header, which lies before the first block's records
  logic [31:0] offset_q;  // of the segment and the plane, from where the lane's row goes
  item_t item, item_head;
  logic item_push, item_full, item_empty, item_pop;
  logic [17:0] bytes;
  logic [31:0] address, tally_address_q;

  // Lane 16 kx + ci of a WGRAD has kernel column kx.
  logic columns;
  assign columns   = Build.lanes == 48 && p.c.wgrad && p.c.kernel_w == 4'd3 && !segment.with_sums
      && 32'(p.c.out_format) inside {FORMAT_INT16, FORMAT_INT32};
  assign lane_last = lane_q == (columns ? LaneBits'(15) : LaneBits'(Build.lanes - 1));
  assign plane_last = joined || 5'(plane_q) + 5'd1 == p.c.out_bits;
  assign what_last = what_q == Sums || (!segment.with_sums && !(what_q == Plane && !plane_last));

  // Where two lanes' rows go is read while the two before are asked for.
  logic [1:0] live_q;
  logic [1:0][31:0] address_q, sums_q;
  logic [PlaceBits-1:0] place_q;
  logic pair_moves;
  assign table_place_o = state_q == Idle ? row_place : place_q;
  assign pair_moves    = state_q == Fetch || (state_q == Ask && lane_ends && !freeing_q && lane_q[0]);
  always_ff @(posedge clk_i) begin
    if (pair_moves) {live_q, address_q, sums_q} <= {table_live_i, table_address_i, table_sums_i};
    if (state_q == Idle) place_q <= row_place + 1'b1;
    else if (state_q == Ask && pair_moves) place_q <= place_q + 1'b1;
  end
  assign segment_start = state_q == Idle && closed_q != '0 && !segments_empty;

  always_comb begin
    unique case (what_q)
      Pieces:  bytes = 18'(segment.pixels) << (5 + 32'(p.c.out_format));
      Plane:   bytes = joined ? row_bytes_q : 18'(segment.pixels) << 1;
      default: bytes = 18'(segment.pixels) << 2;
    endcase
    if (columns) bytes = p.c.out_format[0] ? 18'd192 : 18'd96;
    address = (what_q == Sums ? sums_q[lane_q[0]] : address_q[lane_q[0]])
        + (what_q == Sums ? segment.sums : offset_q);
    item = '{what: what_q, slot: segment.slot, lane: 8'(lane_q), plane: plane_q, reads: 5'((bytes + 18'd63) >> 6),
             lanes: columns, parts: '0, beats: 8'((bytes + 18'(BusBytes - 1)) / 18'(BusBytes))};
    if (tally_q) begin
      bytes   = head ? 18'd576 : 18'd512;
      address = tally_address_q;
      item    = '{what: Tally, slot: segment.slot, lane: 8'(segment.block[SlotBits-1:0]), plane: '0,
                  reads: head ? 5'd9 : 5'd8, lanes: head, parts: '0, beats: 8'((head ? 576 : 512) / BusBytes)};
    end else if (what_q == Plane && joined) begin
      item.reads = p.c.out_bits;
      item.parts = {p.c.y_width[3], p.c.y_width[3] || p.c.y_width[4]};
    end else if (columns) begin
      item.reads = 5'd3;
      item.parts = {1'b0, !p.c.out_format[0]};
    end else if (what_q == Sums) begin
      item.reads = 5'((segment.pixels + 6'd7) >> 3);
      item.parts = 2'd1;
    end
  end

  assign asked       = (tally_q || (state_q == Ask && live_q[lane_q[0]] && !freeing_q)) && !item_full && !requests_full;
  assign lane_ends   = !live_q[lane_q[0]] || (asked && what_last);
  sync_fifo #(.Width(50), .Depth(2), .Head(1'b1)) u_requests (
      .clk_i, .rst_ni, .clear_i(1'b0), .push_i(asked), .data_i({address, bytes}), .pop_i(req_valid_o && req_ready_i),
      .data_o({req_addr_o, req_bytes_o}), .full_o(requests_full), .empty_o(requests_empty)
  );
  assign req_valid_o = !requests_empty;
  assign head        = segment.block == '0;
  always_ff @(posedge clk_i) tally_address_q <= p.c.tally_addr + (head ? '0 : 32'({segment.block, 9'd64}));
  // After the last lane's last item comes one that frees the slot.
  assign item_push   = asked || (freeing_q && !item_full);
  assign segment_pop = freeing_q && !item_full;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle:
      if (segment_start && !freeing_q && !tally_q) begin
        state_q <= Fetch;
        lane_q  <= '0;
      end
      Fetch: begin
        what_q   <= planes ? Plane : Pieces;
        plane_q  <= '0;
        offset_q <= segment.address;
        state_q  <= Ask;
      end
      default: begin
        if (asked && !what_last) begin
          if (what_q == Plane && !plane_last) begin
            plane_q  <= plane_q + 4'd1;
            offset_q <= offset_q + {19'd0, p.c.y_width, 1'b0};
          end else begin
            what_q <= Sums;
          end
        end
        if (lane_ends && !freeing_q) begin
          lane_q  <= lane_q + 1'b1;
          if (lane_last) begin
            state_q   <= Idle;
            tally_q   <= VectorUnit && segment.with_tally;
            freeing_q <= !(VectorUnit && segment.with_tally);
          end
          what_q   <= planes ? Plane : Pieces;
          plane_q  <= '0;
          offset_q <= segment.address;
        end
      end
    endcase
    if (tally_q && asked) begin
      tally_q   <= 1'b0;
      freeing_q <= 1'b1;
    end
    if (segment_pop) freeing_q <= 1'b0;
    if (!rst_ni) begin
      state_q   <= Idle;
      tally_q   <= 1'b0;
      freeing_q <= 1'b0;
    end
  end

  item_t pushed;
  always_comb begin
    pushed = item;
    if (freeing_q) begin
      pushed.what = Free;
    end
  end
  sync_fifo #(.Width($bits(item_t)), .Depth(4), .Head(1'b1)) u_items (
      .clk_i, .rst_ni, .clear_i(1'b0), .push_i(item_push), .data_i(pushed), .pop_i(item_pop), .data_o(item_head),
      .full_o(item_full), .empty_o(item_empty)
  );

  // Reading. Stage 0: an address. Stage 1: what the buffer's RAMs give. Stage 2: its words in order.
  logic [4:0] read_q;
  logic read, read_last, read_valid_q, read_last_q, turn, filled_valid_q, filled_last_q, filled_ready, chunk_valid_q;
  item_t read_item_q, filled_q;
  logic [1:0] read_part_q, filled_part_q;

  assign read_last      = read_q + 5'd1 == item_head.reads;
  assign turn           = read_valid_q && (!filled_valid_q || filled_ready);
  assign read           = !item_empty && item_head.what != Free && (!read_valid_q || turn);
  assign item_pop       = !item_empty && (item_head.what == Free || (read && read_last));
  assign slot_free_o    = item_pop && item_head.what == Free;
  assign buffer_read_o  = read;
  assign buffer_lane_o  = item_head.lane + (item_head.lanes ? {2'd0, read_q[1:0], 4'd0} : '0);
  assign tally_read_o   = read && item_head.what == Tally;
  assign tally_header_o = item_head.lanes && read_q == '0;
  assign tally_slot_o   = item_head.lane[SlotBits-1:0];
  assign tally_pair_o   = read_q[2:0] - 3'(item_head.lanes);
  assign buffer_place_o = (5'(item_head.slot) << (p.segment_log - 3'd1))
      + (item_head.what == Pieces && !item_head.lanes ? read_q : '0);
  assign buffer_plane_o = item_head.what == Plane;
  assign buffer_word_o  = item_head.plane + read_q[3:0];
  assign buffer_sums_o  = (item_head.slot << (p.segment_log - 3'd3)) + read_q[2:0];
  assign buffer_turn_o  = turn;

  always_ff @(posedge clk_i) begin
    if (read) begin
      read_q      <= read_last ? '0 : read_q + 5'd1;
      read_item_q <= item_head;
      read_last_q <= read_last;
      read_part_q <= read_q[1:0] & item_head.parts;
    end
    if (turn) begin
      filled_q      <= read_item_q;
      filled_last_q <= read_last_q;
      filled_part_q <= read_part_q;
    end
    if (read) read_valid_q <= 1'b1;
    else if (turn) read_valid_q <= 1'b0;
    if (turn) filled_valid_q <= 1'b1;
    else if (filled_ready) filled_valid_q <= 1'b0;
    if (!rst_ni) begin
      read_q         <= '0;
      read_valid_q   <= 1'b0;
      filled_valid_q <= 1'b0;
    end
  end

  // Stage 3: a chunk, and its beats on the bus.
  localparam int unsigned ChunkBeats = 64 / BusBytes;
  logic [511:0] chunk_q, chunk_d;
  logic chunk_done, chunk_fills;
  logic [7:0] left_q;          // beats of the request after those of the chunks so far
  logic [3:0] beat_q, beats_d;
  logic request_first_q;
  logic [7:0] left;

  assign left        = request_first_q ? filled_q.beats : left_q;
  assign beats_d     = left < 8'(ChunkBeats) ? left[3:0] : 4'(ChunkBeats);
  assign chunk_fills = filled_last_q || filled_part_q == filled_q.parts;
  assign filled_ready = !chunk_valid_q || chunk_done;
  assign chunk_done   = chunk_valid_q && data_ready_i && beat_q == 4'd1;
  assign data_valid_o = chunk_valid_q;
  assign data_o       = chunk_q[8*BusBytes-1:0];

  // A chunk's quarter takes a read's own one, or that one's that is there in reads of a half or a quarter.
  always_comb begin
    chunk_d = chunk_q;
    for (int unsigned quarter = 0; quarter < 4; quarter++) begin
      unique case (filled_q.parts)
        2'd0:
        chunk_d[128*quarter+:128] = VectorUnit && filled_q.what == Tally ? tally_data_i[128*quarter+:128]
                                                                         : buffer_data_i[128*quarter+:128];
        2'd1:
        if (filled_part_q[0] == quarter[1])
          chunk_d[128*quarter+:128] = filled_q.what == Sums ? buffer_sums_i[128*(quarter%2)+:128]
                                                            : buffer_data_i[128*(quarter%2)+:128];
        default: if (filled_part_q == quarter[1:0]) chunk_d[128*quarter+:128] = buffer_data_i[127:0];
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (filled_valid_q && filled_ready) begin
      chunk_q       <= chunk_d;
      chunk_valid_q <= chunk_fills;
      if (chunk_fills) begin
        beat_q <= beats_d;
        left_q <= left - 8'(beats_d);
        request_first_q <= filled_last_q;
      end
    end else if (chunk_valid_q && data_ready_i) begin
      chunk_valid_q <= beat_q != 4'd1;
      chunk_q       <= chunk_q >> (8 * BusBytes % 512);
      beat_q        <= beat_q - 4'd1;
    end
    if (!rst_ni) begin
      chunk_valid_q   <= 1'b0;
      request_first_q <= 1'b1;
    end
  end

`ifndef SYNTHESIS
  logic [3:0] slots;
  assign slots = 4'(7'(LanePieces) >> p.segment_log);
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      slot_is_free     : assert (!open_valid_i || open_q < slots || slot_free_o);
      slot_in_range    : assert (!open_valid_i || 4'(open_segment_i.slot) < slots);
      closed_were_open : assert (!closed_i || closed_q < open_q);
      freed_were_open  : assert (!slot_free_o || open_q != '0);
    end
  end
`endif

  logic unused;
  assign unused = &{1'b0, p, unused_full, filled_q, segment};
endmodule
