/// Store, its buffer and the table of addresses, as the core has them, with flat pins.
module store_bench
  import contract_pkg::*;
  import core_pkg::*;
#(
    parameter  int unsigned BuildNumber = 0,  ///< 0: tiny, 1: zc706
    localparam build_t      Build       = BuildNumber == 0 ? BUILD_TINY : BUILD_ZC706,
    localparam int unsigned BusBytes    = Build.bus_bytes,
    localparam int unsigned LaneBits    = $clog2(Build.lanes)
) (
    input  logic                  clk,
    input  logic                  rst_n,
    input  logic                  wgrad,         ///< of the command
    input  logic [           3:0] kernel_w,
    input  logic [           1:0] out_format,
    input  logic [           4:0] out_bits,
    input  logic [          11:0] y_width,
    input  logic [           2:0] segment_log,
    input  logic [          31:0] image_stride,  ///< of results and of row sums (WGRAD)
    input  logic [          31:0] image_sums,
    input  logic                  row_valid,     ///< CONV: where a lane's row goes
    input  logic [  LaneBits-1:0] row_lane,
    input  logic [   RowBits-1:0] row_number,
    input  logic                  row_live,
    input  logic [          31:0] row_address,
    input  logic [          31:0] row_sums,
    input  logic                  set_valid,     ///< WGRAD: where a set goes
    input  logic [           3:0] set_taps,
    input  logic                  open_valid,    ///< a segment
    input  logic [           2:0] open_slot,
    input  logic [ TableBits-1:0] open_row,
    input  logic [          31:0] open_address,
    input  logic [          31:0] open_sums,
    input  logic [           5:0] open_pixels,
    input  logic                  open_with_sums,
    input  logic                  open_with_tally,
    input  logic [          11:0] open_block,
    input  logic [          31:0] tally_addr,
    input  logic                  write,         ///< its pieces
    input  logic                  last,
    input  logic [          15:0] write_lanes,
    input  logic [          11:0] write_pieces,
    input  logic [         511:0] write_data,
    input  logic                  sums_write,    ///< and row sums
    input  logic [           5:0] sums_piece,
    input  logic [           7:0] sums_pair,
    input  logic [          63:0] sums,
    output logic                  idle,
    input  logic                  req_ready,
    input  logic                  data_ready,
    output logic                  freed,         ///< the clock's last edge freed a slot,
    output logic                  asked,         ///< took a request,
    output logic [          31:0] asked_addr,
    output logic [          17:0] asked_bytes,
    output logic                  given,         ///< took a beat
    output logic [8*BusBytes-1:0] given_data
);
  plan_t plan;
  segment_t segment;
  always_comb begin
    plan                    = '0;
    plan.c.wgrad            = wgrad;
    plan.c.kernel_w         = kernel_w;
    plan.c.out_format       = out_format;
    plan.c.out_bits         = out_bits;
    plan.c.y_width          = y_width;
    plan.c.out_image_stride = image_stride;
    plan.image_sums         = image_sums;
    plan.segment_log        = segment_log;
    plan.c.tally_addr       = tally_addr;
    segment = '{slot: open_slot, row: open_row, address: open_address, sums: open_sums, pixels: open_pixels,
                with_sums: open_with_sums, with_tally: open_with_tally, block: open_block};
  end

  logic slot_free, req_valid, data_valid;
  logic [31:0] req_addr;
  logic [17:0] req_bytes;
  logic [8*BusBytes-1:0] data;
  always_ff @(posedge clk) begin
    freed       <= slot_free && rst_n;
    asked       <= req_valid && req_ready && rst_n;
    asked_addr  <= req_addr;
    asked_bytes <= req_bytes;
    given       <= data_valid && data_ready && rst_n;
    given_data  <= data;
  end

  logic [$clog2(TableRows*Build.lanes/2)-1:0] table_place;
  logic unused_ready;
  logic [1:0] table_live;
  logic [1:0][31:0] table_address, table_sums;
  logic [1:0][31:0] unused_elements;
  logic [1:0] unused_live;
  row_table #(.Lanes(Build.lanes)) u_table (
      .clk_i         (clk),
      .rst_ni        (rst_n),
      .plan_i        (plan),
      .row_valid_i   (row_valid),
      .row_ready_o   (unused_ready),
      .row_lane_i    (row_lane),
      .row_i         (row_number),
      .row_live_i    (row_live),
      .row_address_i (row_address),
      .row_element_i ('0),
      .row_sums_i    (row_sums),
      .set_valid_i   (set_valid),
      .set_row_i     (open_row),
      .set_address_i (row_address),
      .set_element_i ('0),
      .set_sums_i    (row_sums),
      .set_taps_i    (set_taps),
      .element_row_i ('0),
      .element_pair_i('0),
      .element_o     (unused_elements),
      .element_live_o(unused_live),
      .read_place_i  (table_place),
      .read_live_o   (table_live),
      .read_address_o(table_address),
      .read_sums_o   (table_sums)
  );

  logic buffer_read, buffer_plane, buffer_turn;
  logic [7:0] buffer_lane;
  logic [4:0] buffer_place;
  logic [3:0] buffer_word;
  logic [2:0] buffer_sums_place;
  logic [511:0] buffer_data;
  logic [255:0] buffer_sums;
  store_buffer #(.Lanes(Build.lanes)) u_buffer (
      .clk_i        (clk),
      .write_i      (write),
      .write_lane_i (write_lanes),
      .write_piece_i(write_pieces),
      .write_data_i (write_data),
      .sums_write_i (sums_write),
      .sums_piece_i (sums_piece),
      .sums_pair_i  (sums_pair),
      .sums_i       (sums),
      .read_i       (buffer_read),
      .read_lane_i  (buffer_lane),
      .read_place_i (buffer_place),
      .read_plane_i (buffer_plane),
      .read_word_i  (buffer_word),
      .sums_place_i (buffer_sums_place),
      .turn_i       (buffer_turn),
      .data_o       (buffer_data),
      .sums_o       (buffer_sums)
  );
  // In the place of a tally: where it is read.
  logic tally_read, tally_header;
  logic [SlotBits-1:0] tally_slot;
  logic [2:0] tally_pair;
  logic [9:0] shown_q;
  logic [511:0] tally_data_q;
  always_ff @(posedge clk) begin
    if (tally_read) shown_q <= {tally_header, tally_slot, tally_pair};
    if (buffer_turn) for (int unsigned i = 0; i < 32; i++) tally_data_q[16*i+:16] <= {1'b1, 5'(i), shown_q};
  end
  store #(.Build(Build), .VectorUnit(1'b1)) u_store (
      .clk_i          (clk),
      .rst_ni         (rst_n),
      .plan_i         (plan),
      .open_valid_i   (open_valid),
      .open_segment_i (segment),
      .closed_i       (write && last),
      .slot_free_o    (slot_free),
      .idle_o         (idle),
      .table_place_o  (table_place),
      .table_live_i   (table_live),
      .table_address_i(table_address),
      .table_sums_i   (table_sums),
      .buffer_read_o  (buffer_read),
      .buffer_lane_o  (buffer_lane),
      .buffer_place_o (buffer_place),
      .buffer_plane_o (buffer_plane),
      .buffer_word_o  (buffer_word),
      .buffer_sums_o  (buffer_sums_place),
      .buffer_turn_o  (buffer_turn),
      .buffer_data_i  (buffer_data),
      .buffer_sums_i  (buffer_sums),
      .tally_read_o   (tally_read),
      .tally_header_o (tally_header),
      .tally_slot_o   (tally_slot),
      .tally_pair_o   (tally_pair),
      .tally_data_i   (tally_data_q),
      .req_valid_o    (req_valid),
      .req_ready_i    (req_ready),
      .req_addr_o     (req_addr),
      .req_bytes_o    (req_bytes),
      .data_valid_o   (data_valid),
      .data_ready_i   (data_ready),
      .data_o         (data)
  );

  logic unused;
  assign unused = &{1'b0, unused_ready, unused_elements, unused_live};
endmodule
