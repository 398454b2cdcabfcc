/// Executes UPDATE and WEIGHTS: reads and judges headers, lets the command's own module do its work, then writes the
/// headers of the blocks that this has made. Nothing is written before operands have been read.
module weight_engine
  import contract_pkg::*;
  import command_pkg::*;
  import vector_pkg::*;
  import weight_pkg::*;
#(
    parameter  int unsigned BusBytes     = 8,
    parameter  int unsigned MaximaBlocks = 64,  ///< output blocks of a bundle that an UPDATE does in one pass
    localparam int unsigned DataBits     = 8 * BusBytes
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
    input  logic                wr_idle_i
);
  typedef enum logic [3:0] {
    Idle, Shape, Sizes, Headers, Product, Update, Codes, AskHeader, GiveHeader, NextHeader
  } state_e;
  state_e state_q;
  logic updates, both, begun_q;
  assign updates = words_i[0][7:0] == 8'(OPCODE_UPDATE);
  assign both    = words_i[WEIGHT_FIELD_FLAGS_WORD][WEIGHT_FLAG_BOTH];

  // Each of the parts is started in its state's first cycle.
  logic first;
  assign first = !begun_q;

  shape_t shape;
  sizes_t sizes;
  logic shape_done, sizes_done, unused_groups;
  weight_shape u_shape (
      .clk_i,
      .rst_ni,
      .start_i,
      .words_i,
      .done_o  (shape_done),
      .groups_o(unused_groups),
      .shape_o (shape)
  );
  weight_sizes u_sizes (
      .clk_i,
      .rst_ni,
      .start_i(state_q == Sizes && first),
      .shape_i(shape),
      .bits_i (words_i[WEIGHT_FIELD_BITS_WORD][12:8]),
      .done_o (sizes_done),
      .sizes_o(sizes)
  );

  // Headers that are read.
  logic [15:0] ins, outs;
  logic headers_done, good, headers_rd_ready;
  logic [2:0][255:0] headers;
  request_t headers_rd_req;
  assign {ins, outs} = {shape.ins, 4'd0, shape.outs, 4'd0};
  weight_headers #(.BusBytes(BusBytes)) u_headers (
      .clk_i,
      .rst_ni,
      .start_i       (state_q == Headers && first),
      .last_i        (updates ? 2'd2 : {1'b0, both}),
      .addr_i        (updates ? {words_i[WEIGHT_FIELD_STEP_ADDR_WORD], words_i[WEIGHT_FIELD_E_ADDR_WORD],
                                 words_i[WEIGHT_FIELD_X_ADDR_WORD]}
                              : {32'd0, words_i[WEIGHT_FIELD_MAX_IN_ADDR_WORD],
                                  words_i[WEIGHT_FIELD_MAX_OUT_ADDR_WORD]}),
      .kind_i        (updates ? {BLOCK_STEP, BLOCK_TENSOR, BLOCK_TENSOR} : {3{BLOCK_MAXIMA}}),
      .channels_i    (updates ? '0 : {16'd0, ins, outs}),
      .done_o        (headers_done),
      .good_o        (good),
      .headers_o     (headers),
      .rd_req_o      (headers_rd_req),
      .rd_req_ready_i(rd_req_ready_i && state_q == Headers),
      .rd_valid_i    (rd_valid_i && state_q == Headers),
      .rd_ready_o    (headers_rd_ready),
      .rd_data_i,
      .rd_last_i
  );

  // Headers that are written: of the output channels' block, then of the input channels'.
  localparam int unsigned HeaderBeats = 64 / BusBytes;
  logic second_q;
  logic [3:0] beat_q;
  request_t header_wr_req;
  logic [DataBits-1:0] header_data;
  always_comb begin
    header_wr_req.valid = state_q == AskHeader;
    header_wr_req.bytes = 18'd64;
    if (updates)
      header_wr_req.addr = words_i[second_q ? WEIGHT_FIELD_MAX_IN_ADDR_WORD : WEIGHT_FIELD_MAX_OUT_ADDR_WORD];
    else header_wr_req.addr = words_i[second_q ? WEIGHT_FIELD_UNITS_IN_ADDR_WORD : WEIGHT_FIELD_UNITS_ADDR_WORD];
    header_data = beat_q != '0 ? '0
                  : DataBits'({16'd0, second_q ? ins : outs, updates ? BLOCK_MAXIMA : BLOCK_UNITS});
  end

  logic product_done, up, update_done, update_rd_ready, update_wr_valid;
  logic [24:0] multiplier;
  logic [ 6:0] shift;
  request_t update_rd_req, update_wr_req;
  logic [DataBits-1:0] update_wr_data;
  weight_step_product u_product (
      .clk_i,
      .rst_ni,
      .start_i     (state_q == Product && first),
      .x_i         (headers[0][8*TENSOR_HEADER_STEP+:64]),
      .e_i         (headers[1][8*TENSOR_HEADER_STEP+:64]),
      .done_o      (product_done),
      .multiplier_o(multiplier),
      .up_o        (up),
      .shift_o     (shift)
  );
  weight_update #(.BusBytes(BusBytes), .MaximaBlocks(MaximaBlocks)) u_update (
      .clk_i,
      .rst_ni,
      .start_i       (state_q == Update && first),
      .words_i,
      .shape_i       (shape),
      .sizes_i       (sizes),
      .multiplier_i  (multiplier),
      .up_i          (up),
      .shift_i       (shift),
      .momentum_i    (headers[2][8*STEP_HEADER_MOMENTUM+:32]),
      .decay_i       (headers[2][8*STEP_HEADER_WEIGHT_DECAY+:32]),
      .rate_i        (headers[2][8*STEP_HEADER_WEIGHT_RATE+:32]),
      .done_o        (update_done),
      .rd_req_o      (update_rd_req),
      .rd_req_ready_i(rd_req_ready_i && state_q == Update),
      .rd_valid_i    (rd_valid_i && state_q == Update),
      .rd_ready_o    (update_rd_ready),
      .rd_data_i,
      .rd_last_i,
      .wr_req_o      (update_wr_req),
      .wr_req_ready_i(wr_req_ready_i && state_q == Update),
      .wr_valid_o    (update_wr_valid),
      .wr_ready_i    (wr_ready_i && state_q == Update),
      .wr_data_o     (update_wr_data),
      .wr_idle_i
  );

  logic codes_done, codes_rd_ready, codes_wr_valid;
  request_t codes_rd_req, codes_wr_req;
  logic [DataBits-1:0] codes_wr_data;
  weight_codes #(.BusBytes(BusBytes)) u_codes (
      .clk_i,
      .rst_ni,
      .start_i       (state_q == Codes && first),
      .words_i,
      .shape_i       (shape),
      .sizes_i       (sizes),
      .done_o        (codes_done),
      .rd_req_o      (codes_rd_req),
      .rd_req_ready_i(rd_req_ready_i && state_q == Codes),
      .rd_valid_i    (rd_valid_i && state_q == Codes),
      .rd_ready_o    (codes_rd_ready),
      .rd_data_i,
      .rd_last_i,
      .wr_req_o      (codes_wr_req),
      .wr_req_ready_i(wr_req_ready_i && state_q == Codes),
      .wr_valid_o    (codes_wr_valid),
      .wr_ready_i    (wr_ready_i && state_q == Codes),
      .wr_data_o     (codes_wr_data),
      .wr_idle_i
  );

  always_comb begin
    {rd_req_o, rd_ready_o, wr_req_o, wr_valid_o, wr_data_o} = '0;
    unique case (state_q)
      Headers:    {rd_req_o, rd_ready_o} = {headers_rd_req, headers_rd_ready};
      AskHeader:  wr_req_o = header_wr_req;
      GiveHeader: {wr_valid_o, wr_data_o} = {1'b1, header_data};
      Update:
      {rd_req_o, rd_ready_o, wr_req_o, wr_valid_o, wr_data_o} =
          {update_rd_req, update_rd_ready, update_wr_req, update_wr_valid, update_wr_data};
      Codes:
      {rd_req_o, rd_ready_o, wr_req_o, wr_valid_o, wr_data_o} =
          {codes_rd_req, codes_rd_ready, codes_wr_req, codes_wr_valid, codes_wr_data};
      default: ;
    endcase
  end

  state_e state_d;
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:       if (start_i) state_d = Shape;
      Shape:      if (shape_done) state_d = Sizes;
      Sizes:      if (sizes_done) state_d = Headers;
      Headers:    if (headers_done) state_d = !good ? Idle : updates ? Product : Codes;
      Product:    if (product_done) state_d = Update;
      Update:     if (update_done) state_d = AskHeader;
      Codes:      if (codes_done) state_d = AskHeader;
      AskHeader:  if (wr_req_ready_i) state_d = GiveHeader;
      GiveHeader: if (wr_ready_i && beat_q == 4'(HeaderBeats - 1)) state_d = NextHeader;
      default:    state_d = !second_q && (updates || both) ? AskHeader : Idle;  // NextHeader
    endcase
  end
  always_ff @(posedge clk_i) begin
    state_q <= state_d;
    begun_q <= state_d == state_q;
    done_o  <= state_q != Idle && state_d == Idle && rst_ni;
    error_o <= state_q == Headers ? 8'(ERROR_COEFFICIENTS) : 8'(ERROR_OK);
    if (state_q == GiveHeader && wr_ready_i) beat_q <= beat_q + 4'd1;
    if (state_q == AskHeader) beat_q <= '0;
    if (state_q == NextHeader) second_q <= 1'b1;
    if (state_q == Idle) second_q <= 1'b0;
    if (!rst_ni) state_q <= Idle;
  end

  logic unused;
  assign unused = &{1'b0, unused_groups, count_i, words_i, headers};
endmodule
