/// Loads parts of blocks into the input memory of the scalar engine, a word a cycle, several requests in flight.
module scalar_load
  import vector_pkg::*;
  import scalar_code_pkg::*;
#(
    parameter  int unsigned BusBytes = 8,
    localparam int unsigned DataBits = 8 * BusBytes
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   valid_i,          ///< load what transfer_i says
    output logic                   ready_o,
    input  transfer_t              transfer_i,
    input  logic [           31:0] address_i,        ///< of the header, or of the first of 16 records
    input  logic [AddressBits-1:0] to_i,             ///< a header's first word; else its lane 0 of the first word
    output logic                   busy_o,           ///< something has not arrived yet
    output request_t               rd_req_o,
    input  logic                   rd_req_ready_i,
    input  logic                   rd_valid_i,
    output logic                   rd_ready_o,
    input  logic [   DataBits-1:0] rd_data_i,
    output logic                   write_o,
    output logic [AddressBits-1:0] write_address_o,
    output logic [           63:0] word_o
);
  localparam int unsigned Words = BusBytes / 8;

  typedef struct packed {
    logic                   header;
    logic [2:0]             log;
    logic [2:0]             skip;
    logic [3:0]             words;
    logic [AddressBits-1:0] to;
  } load_t;

  logic full, empty, last;
  load_t now;
  assign rd_req_o = '{valid: valid_i && !full, addr: address_i,
                      bytes: transfer_i.header ? 18'd64 : 18'd16 << transfer_i.log};
  assign ready_o  = !full && rd_req_ready_i;
  sync_fifo #(.Width($bits(load_t)), .Depth(16)) u_loads (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i (valid_i && ready_o),
      .data_i ({transfer_i.header, transfer_i.log, transfer_i.skip, transfer_i.words, to_i}),
      .pop_i  (rd_valid_i && last),
      .data_o (now),
      .full_o (full),
      .empty_o(empty)
  );

  // The word's number in the transfer, its place in the record, and its record's lane.
  logic [6:0] number_q, last_number;
  logic [2:0] index, beyond;
  logic [3:0] lane;
  always_comb begin
    unique case (now.log)
      3'd3:    {last_number, lane, index} = {7'd15, number_q[3:0], 3'd0};
      3'd5:    {last_number, lane, index} = {7'd63, number_q[5:2], 1'b0, number_q[1:0]};
      default: {last_number, lane, index} = {7'd127, number_q[6:3], number_q[2:0]};
    endcase
    if (now.header) {last_number, lane, index} = {7'd7, 4'd0, number_q[2:0]};
  end
  assign beyond = index - now.skip;
  assign last   = number_q == last_number;
  assign busy_o = !empty || write_o;

  logic [63:0] word;
  if (Words == 1) begin : gen_narrow
    assign word       = rd_data_i;
    assign rd_ready_o = 1'b1;
  end else begin : gen_wide
    logic [$clog2(Words)-1:0] which;
    assign which      = number_q[$clog2(Words)-1:0];
    assign word       = rd_data_i[64*which+:64];
    assign rd_ready_o = which == '1;
  end

  always_ff @(posedge clk_i) begin
    write_o         <= rd_valid_i && rst_ni && index >= now.skip && 4'(beyond) < now.words;
    write_address_o <= now.to + (now.header ? AddressBits'(index) : {2'd0, beyond, lane});
    word_o          <= word;
    if (!rst_ni) number_q <= '0;
    else if (rd_valid_i) number_q <= last ? '0 : number_q + 1'b1;
  end

  logic unused;
  assign unused = &{1'b0, transfer_i.place, transfer_i.part};
endmodule
