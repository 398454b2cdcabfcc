/// Executes MAP (contract, section 8): 16 channels of a pixel a cycle, as fast as memory gives and takes planes.
///
/// Setup judges the headers. Then two walkers ask for strips of the maps: one reads ahead into banks (map_unpack), from
/// which pixels come out (map_fetch); results go to banks again (map_scatter), from which planes are written
/// (map_pack). Blocks are walked one after the other, all images each, so that coefficients and tally are those of 16
/// channels.
module map_engine
  import contract_pkg::*;
  import command_pkg::*;
  import vector_pkg::*;
  import rounding_pkg::*;
  import map_pkg::*;
#(
    parameter  int unsigned BusBytes = 8,
    localparam int unsigned DataBits = 8 * BusBytes
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                start_i,         ///< one cycle: a command that has passed vector_check
    input  words_t              words_i,         ///< it; stays until done_o
    input  logic [20:0]         count_i,         ///< images * height * width; stays, too
    output logic                done_o,          ///< one cycle: all is written, or error_o says why not
    output logic [ 7:0]         error_o,         ///< OK, or COEFFICIENTS; valid with done_o
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
    output lent_t               lent_o,          ///< to a rounding_lane that does so
    input  logic [15:0][15:0]   rounded_i        ///< its values
);
  localparam int unsigned Banks    = BusBytes > 32 ? BusBytes / 2 : 16;
  localparam int unsigned Lanes    = 2 * Banks;
  localparam int unsigned Pixels   = Banks / 16;
  localparam int unsigned LaneBits = $clog2(Lanes);
  localparam int unsigned InBits   = $clog2(InStrips) + 2 + 1 + 4;
  localparam int unsigned OutBits  = $clog2(OutStrips) + 1 + 4;
  localparam int unsigned Items    = 16;

  // The command.
  typedef enum logic [1:0] { Idle, Setup, Begin, Run } state_e;
  state_e state_q;
  logic setup_done, good, begins, read_done, write_done, pack_idle;
  map_t map;
  tensor_t [Tensors-1:0] reads, writes;
  logic [15:0] flags;
  logic [27:0] pixels, all_pixels;
  logic [4:0] k;
  logic [6:0] j;
  logic [39:0] multiplier;
  logic [5:0] scale_shift;
  logic [31:0] key_0, key_1;
  request_t setup_req;
  logic setup_rd_ready, unpack_rd_ready, outputs;
  assign flags   = words_i[1][15:0];
  assign outputs = writes[0].used;
  assign begins  = state_q == Begin;
  map_setup #(.BusBytes(BusBytes), .Lanes(Lanes), .Banks(Banks)) u_setup (
      .clk_i,
      .rst_ni,
      .start_i,
      .words_i,
      .done_o        (setup_done),
      .good_o        (good),
      .map_o         (map),
      .reads_o       (reads),
      .writes_o      (writes),
      .pixels_o      (pixels),
      .all_pixels_o  (all_pixels),
      .k_o           (k),
      .j_o           (j),
      .multiplier_o  (multiplier),
      .scale_shift_o (scale_shift),
      .key_0_o       (key_0),
      .key_1_o       (key_1),
      .rd_req_o      (setup_req),
      .rd_req_ready_i,
      .rd_valid_i    (rd_valid_i && state_q == Setup),
      .rd_ready_o    (setup_rd_ready),
      .rd_data_i
  );
  always_ff @(posedge clk_i) begin
    done_o <= 1'b0;
    unique case (state_q)
      Idle: if (start_i) state_q <= Setup;
      Setup: if (setup_done) begin
        error_o <= good ? 8'(ERROR_OK) : 8'(ERROR_COEFFICIENTS);
        done_o  <= !good;
        state_q <= good ? Begin : Idle;
      end
      Begin: state_q <= Run;
      default: if (read_done && write_done && pack_idle) begin
        done_o  <= 1'b1;
        state_q <= Idle;
      end
    endcase
    if (!rst_ni) begin
      state_q <= Idle;
      done_o  <= 1'b0;
    end
  end

  // Reads: requests, and what they are for.
  logic in_room, strip_valid, item_valid, item_ready, needs, tags_full, tags_empty, tag_ready;
  strip_t strip, head_strip;
  item_t item, tag;
  map_walker #(.Lanes(Lanes), .Pixels(Pixels)) u_reads (
      .clk_i,
      .rst_ni,
      .start_i      (begins),
      .map_i        (map),
      .tensors_i    (reads),
      .room_i       (in_room),
      .strip_valid_o(strip_valid),
      .strip_o      (strip),
      .item_valid_o (item_valid),
      .item_ready_i (item_ready),
      .item_o       (item),
      .done_o       (read_done)
  );
  assign needs      = item.kind == Planes || map.scales;
  assign item_ready = !tags_full && (!needs || rd_req_ready_i);
  assign rd_req_o   = state_q == Setup ? setup_req
                      : '{valid: item_valid && !tags_full && needs, addr: item.addr, bytes: item.bytes};
  assign rd_ready_o = state_q == Setup ? setup_rd_ready : unpack_rd_ready;
  sync_fifo #(.Width($bits(item_t)), .Depth(Items)) u_tags (
      .clk_i,
      .rst_ni,
      .clear_i(begins),
      .push_i (item_valid && item_ready),
      .data_i (item),
      .pop_i  (!tags_empty && tag_ready),
      .data_o (tag),
      .full_o (tags_full),
      .empty_o(tags_empty)
  );

  // Planes in.
  logic block_begins, between, drained, tallied, filled;
  logic [15:0][24:0] a;
  logic [15:0][39:0] c;
  logic [15:0][47:0] b;
  logic [Banks-1:0] in_write, mask_write;
  logic [Banks-1:0][InBits-1:0] in_write_addr, in_addr;
  logic mask_part;
  logic [2:0] mask_write_addr, mask_addr;
  logic [Banks-1:0][15:0] in_data, in_words, mask_words;
  map_unpack #(.BusBytes(BusBytes), .Banks(Banks)) u_unpack (
      .clk_i,
      .rst_ni,
      .item_valid_i(!tags_empty),
      .item_ready_o(tag_ready),
      .item_i      (tag),
      .scales_i    (map.scales),
      .shift_i     (j[3:0]),
      .rd_valid_i  (rd_valid_i && state_q == Run),
      .rd_ready_o  (unpack_rd_ready),
      .rd_data_i,
      .between_i   (between),
      .block_o     (block_begins),
      .a_o         (a),
      .c_o         (c),
      .b_o         (b),
      .write_o     (in_write),
      .mask_write_o(mask_write),
      .addr_o      (in_write_addr),
      .data_o      (in_data),
      .strip_o     (filled)
  );
  map_banks #(.Banks(Banks), .Depth(2 ** InBits)) u_in (
      .clk_i, .write_i(in_write), .write_addr_i(in_write_addr), .data_i(in_data), .read_addr_i(in_addr),
      .data_o(in_words)
  );
  // Of masks, strip and part alone, which are the same in all banks.
  assign mask_write_addr = {in_write_addr[0][InBits-1-:2], in_write_addr[0][4]};
  assign mask_addr       = {in_addr[0][InBits-1-:2], mask_part};
  map_masks #(.Banks(Banks), .Depth(2 * InStrips)) u_mask (
      .clk_i, .write_i(mask_write), .write_addr_i(mask_write_addr), .data_i(in_data), .read_addr_i(mask_addr),
      .data_o(mask_words)
  );

  // Pixels.
  logic strips_empty, unused_strips_full, strip_pop, in_free, out_room, take_room;
  logic pixel_valid, pixel_last;
  logic [LaneBits-1:0] pixel_lane;
  logic [27:0] element;
  logic [15:0][16:0] x0, x1, x2;
  logic [15:0] mask;
  sync_fifo #(.Width($bits(strip_t)), .Depth(InStrips)) u_strips (
      .clk_i,
      .rst_ni,
      .clear_i(begins),
      .push_i (strip_valid),
      .data_i (strip),
      .pop_i  (strip_pop),
      .data_o (head_strip),
      .full_o (unused_strips_full),
      .empty_o(strips_empty)
  );
  map_fetch #(.Banks(Banks)) u_fetch (
      .clk_i,
      .rst_ni,
      .start_i     (begins),
      .map_i       (map),
      .used_i      ({reads[2].used, reads[1].used, reads[0].used}),
      .bits_i      ({reads[2].bits, reads[1].bits, reads[0].bits}),
      .signed_i    ({1'b1, flags[MAP_FLAG_X1_SIGNED], flags[MAP_FLAG_X0_SIGNED]}),
      .pixels_i    (pixels),
      .all_pixels_i(all_pixels),
      .block_i     (block_begins),
      .between_o   (between),
      .drained_o   (drained),
      .tallied_i   (tallied),
      .filled_i    (filled),
      .strip_i     (head_strip),
      .strip_pop_o (strip_pop),
      .free_o      (in_free),
      .room_i      (out_room),
      .take_room_o (take_room),
      .addr_o      (in_addr),
      .mask_part_o (mask_part),
      .data_i      (in_words),
      .masks_i     (mask_words),
      .valid_o     (pixel_valid),
      .lane_o      (pixel_lane),
      .last_o      (pixel_last),
      .element_o   (element),
      .x0_o        (x0),
      .x1_o        (x1),
      .x2_o        (x2),
      .mask_o      (mask)
  );

  // Strips on the chip.
  logic [$clog2(InStrips):0] ins_q;
  logic [$clog2(OutStrips):0] outs_q;
  logic out_free;
  assign in_room  = 32'(ins_q) < InStrips;
  assign out_room = !outputs || 32'(outs_q) < OutStrips;
  always_ff @(posedge clk_i) begin
    ins_q <= ins_q + ($clog2(InStrips) + 1)'(strip_valid) - ($clog2(InStrips) + 1)'(in_free);
    if (outputs) outs_q <= outs_q + ($clog2(OutStrips) + 1)'(take_room) - ($clog2(OutStrips) + 1)'(out_free);
    if (!rst_ni || begins) {ins_q, outs_q} <= '0;
  end

  // What the lanes share.
  rounding_t first, second;
  logic symmetric;
  rounding_control u_first (
      .clk_i,
      .stochastic_i(flags[MAP_FLAG_STOCHASTIC]),
      .shift_i     (6'(k)),
      .signed_i    (outputs ? flags[MAP_FLAG_OUT_SIGNED] : flags[MAP_FLAG_X0_SIGNED]),
      .out_bits_i  (outputs ? writes[0].bits : 5'd16),
      .rounding_o  (first)
  );
  rounding_control u_second (
      .clk_i,
      .stochastic_i(1'b0),
      .shift_i     ('0),
      .signed_i    (flags[MAP_FLAG_OUT_SIGNED]),
      .out_bits_i  (writes[1].bits),
      .rounding_o  (second)
  );
  assign symmetric = outputs && flags[MAP_FLAG_OUT_SIGNED];

  logic [31:4] base;
  logic [3:0] low;
  noise_base u_base (.clk_i, .key_0_i(key_0), .element_i(element), .mixed_o(base), .low_o(low));
  logic [15:0][47:0] sums;
  assign lent_o = '{
      own: state_q != Idle,
      rounds: '{
          stochastic: flags[MAP_FLAG_STOCHASTIC],
          is_signed: outputs ? flags[MAP_FLAG_OUT_SIGNED] : flags[MAP_FLAG_X0_SIGNED],
          shift: 6'(k),
          out_bits: outputs ? writes[0].bits : 5'd16,
          key_1: key_1},
      base: base, low: low, sums: sums};

  logic [46:0] half;
  assign half = {scale_shift[5], 15'd0, scale_shift[5:4] == 2'd1, 15'd0, scale_shift[5:4] == 2'd0, 14'd0};

  // A pixel on its way.
  typedef struct packed {
    logic                         valid;
    logic                         last;
    logic [$clog2(OutStrips)-1:0] strip;
    logic [LaneBits-1:0]          lane;
  } way_t;
  localparam int unsigned Way = SecondOuts + 3;
  way_t [Way-1:0] way_q;
  logic [$clog2(OutStrips)-1:0] out_strip_q;
  logic [Outs-1:0][15:0] masks_q;
  logic [Outs-1:0][15:0][15:0] x2s_q;
  logic [15:0][15:0] x2_codes;
  for (genvar ch = 0; ch < 16; ch++) begin : gen_x2
    assign x2_codes[ch] = x2[ch][15:0];
  end
  always_ff @(posedge clk_i) begin
    way_q   <= {way_q[Way-2:0], way_t'{valid: pixel_valid, last: pixel_last, strip: out_strip_q, lane: pixel_lane}};
    masks_q <= {masks_q[Outs-2:0], mask};
    x2s_q   <= {x2s_q[Outs-2:0], x2_codes};
    if (pixel_valid && pixel_last) out_strip_q <= out_strip_q + 1'b1;
    if (!rst_ni || begins) begin
      out_strip_q <= '0;
      for (int i = 0; i < Way; i++) way_q[i].valid <= 1'b0;
    end
  end

  // A block's tally is cleared behind its last beat, long before the first pixel of the next.
  logic [5:0] clears_q;
  logic clear, first_q;
  assign clear = clears_q[5];
  always_ff @(posedge clk_i) begin
    clears_q <= {clears_q[4:0], begins || tallied};
    if (way_q[Outs-1].valid) first_q <= 1'b0;
    if (clear) first_q <= 1'b1;
  end

  logic [15:0][15:0] out0, out1;
  logic [15:0] positive;
  sums_t [15:0] tallies;
  for (genvar ch = 0; ch < 16; ch++) begin : gen_lane
    map_lane u_lane (
        .clk_i,
        .x0_i        (x0[ch]),
        .x1_i        (x1[ch]),
        .zero_x0_i   (flags[MAP_FLAG_MASK_X0] && !mask[ch]),
        .zero_out_i  (flags[MAP_FLAG_MASK_OUT] && !masks_q[Outs-2][ch]),
        .a_i         (a[ch]),
        .c_i         (c[ch]),
        .b_i         (b[ch]),
        .up_i        (j[6:4]),
        .multiplier_i(multiplier),
        .down_i      (scale_shift[5:4]),
        .half_i      (half),
        .first_i     (first),
        .second_i    (second),
        .symmetric_i (symmetric),
        .sum_o       (sums[ch]),
        .rounded_i   (rounded_i[ch]),
        .out0_o      (out0[ch]),
        .positive_o  (positive[ch]),
        .out1_o      (out1[ch])
    );
    map_tally u_tally (
        .clk_i,
        .clear_i (clear),
        .valid_i (way_q[Outs-1].valid),
        .first_i (first_q),
        .v_i     ({first.is_signed && out0[ch][15], out0[ch]}),
        .x2_i    (x2s_q[Outs-1][ch]),
        .sums_o  (tallies[ch])
    );
  end

  // Planes out: those of the first output wait for the second's.
  localparam int unsigned Behind = SecondOuts - Outs;
  way_t way0, way1;
  logic [Behind-1:0][15:0][15:0] out0s_q;
  logic [1:0][15:0][15:0] outs;
  logic [Banks-1:0] out_write;
  logic [Banks-1:0][OutBits-1:0] out_write_addr, out_addr;
  logic [Banks-1:0][1:0][15:0] out_data, out_words;
  logic [Banks-1:0][15:0] positives;
  assign way0 = way_q[Outs-1];
  assign way1 = way_q[SecondOuts-1];
  always_ff @(posedge clk_i) out0s_q <= {out0s_q[Behind-2:0], out0};
  assign outs = {out1, out0s_q[Behind-1]};
  map_scatter #(.Banks(Banks)) u_scatter (
      .clk_i, .valid_i(way1.valid), .strip_i(way1.strip), .lane_i(way1.lane), .gather_i(map.gather), .values_i(outs),
      .write_o(out_write), .addr_o(out_write_addr), .data_o(out_data)
  );
  map_banks #(.Banks(Banks), .Depth(2 ** OutBits), .Width(32)) u_out (
      .clk_i, .write_i(out_write), .write_addr_i(out_write_addr), .data_i(out_data), .read_addr_i(out_addr),
      .data_o(out_words)
  );
  logic [Banks-1:0] positive_write;
  for (genvar i = 0; i < Banks; i++) begin : gen_positive
    assign positive_write[i] = way0.valid && way0.lane[LaneBits-2:0] == (LaneBits - 1)'(i);
  end
  map_masks #(.Banks(Banks), .Depth(2 * OutStrips)) u_positive (
      .clk_i, .write_i(positive_write), .write_addr_i({way0.strip, way0.lane[LaneBits-1]}),
      .data_i({Banks{positive}}), .read_addr_i(out_addr[0][OutBits-1:4]), .data_o(positives)
  );

  logic out_valid, out_ready;
  item_t out_item;
  strip_t unused_strip;
  logic unused_strip_valid;
  map_walker #(.Lanes(Lanes), .Pixels(Pixels), .Writes(1'b1)) u_writes (
      .clk_i,
      .rst_ni,
      .start_i      (begins),
      .map_i        (map),
      .tensors_i    (writes),
      .room_i       (1'b1),
      .strip_valid_o(unused_strip_valid),
      .strip_o      (unused_strip),
      .item_valid_o (out_valid),
      .item_ready_i (out_ready),
      .item_o       (out_item),
      .done_o       (write_done)
  );
  map_pack #(.BusBytes(BusBytes), .Banks(Banks)) u_pack (
      .clk_i,
      .rst_ni,
      .start_i     (begins),
      .item_valid_i(out_valid),
      .item_ready_o(out_ready),
      .item_i      (out_item),
      .channels_i  ({16'd0, map.blocks, 4'd0}),
      .count_i     (32'(count_i)),
      .filled_i    (way_q[Way-1].valid && way_q[Way-1].last && outputs),
      .free_o      (out_free),
      .drained_i   (drained),
      .tallied_o   (tallied),
      .tallies_i   (tallies),
      .addr_o      (out_addr),
      .data_i      (out_words),
      .masks_i     (positives),
      .wr_req_o,
      .wr_req_ready_i,
      .wr_valid_o,
      .wr_ready_i,
      .wr_data_o,
      .wr_idle_i,
      .idle_o      (pack_idle)
  );

  logic unused;
  assign unused = &{1'b0, words_i, rd_last_i, unused_strips_full, strips_empty, unused_strip,
                    unused_strip_valid, x2, way_q, way0, way1, scale_shift};
endmodule
