/// Cuts a request into AXI4 INCR bursts of at most 16 whole beats, cut where the address is a multiple of 16 beats.
///
/// 16 beats are at most 1 KB and such cuts include every 4 KB boundary, so no burst crosses one. A request of one burst
/// leaves in the cycle it is taken in: one burst per cycle, also over back-to-back requests.
module burst_split #(
    parameter  int unsigned BusBytes   = 8,                  ///< width of the bus
    localparam int unsigned OffsetBits = $clog2(BusBytes)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  drop_i,         ///< drop what is left of the request
    input  logic                  req_valid_i,
    output logic                  req_ready_o,
    input  logic [31:0]           req_addr_i,
    input  logic [17:0]           req_bytes_i,    ///< from 1; with the offset in the first beat within 18 bits
    output logic                  burst_valid_o,
    input  logic                  burst_ready_i,
    output logic [31:0]           burst_addr_o,   ///< a multiple of BusBytes
    output logic [ 3:0]           burst_len_o,    ///< beats minus 1
    output logic                  first_o,        ///< the request's first burst
    output logic                  last_o,         ///< the request's last burst
    output logic [OffsetBits-1:0] begin_o,        ///< where the request begins in its first beat
    output logic [OffsetBits-1:0] end_o,          ///< its last byte in its last beat
    output logic                  shift_extra_o   ///< the request spans one beat more than its bytes would fill
);
  localparam int unsigned BeatAddrBits = 32 - OffsetBits;
  localparam int unsigned CountBits    = 18 - OffsetBits;

  logic                    busy_q, first_q, extra_q;
  logic [BeatAddrBits-1:0] beat_q;
  logic [   CountBits-1:0] left_q;   // beats still to be asked for, minus 1
  logic [  OffsetBits-1:0] begin_q, end_q;

  // The last byte counted from the start of the first beat; its upper part is the number of beats minus 1. That is one
  // more than had the request begun on a beat if the offset carries.
  logic [17:0] last_byte, before_begin;
  logic [OffsetBits:0] last_place;
  assign before_begin = 18'(req_addr_i[OffsetBits-1:0]) - 18'd1;
  assign last_byte    = req_bytes_i + before_begin;
  assign last_place   = {1'b0, OffsetBits'(req_bytes_i[OffsetBits-1:0] - 1'b1)} + {1'b0, req_addr_i[OffsetBits-1:0]};

  logic [3:0] to_cut;
  logic       more;
  assign to_cut = ~beat_q[3:0];
  assign more   = left_q > CountBits'(to_cut);

  assign burst_valid_o = busy_q;
  assign burst_addr_o  = {beat_q, OffsetBits'(0)};
  assign burst_len_o   = more ? to_cut : left_q[3:0];
  assign first_o       = first_q;
  assign last_o        = !more;
  assign begin_o       = begin_q;
  assign end_o         = end_q;
  assign shift_extra_o = extra_q;
  assign req_ready_o   = !drop_i && (!busy_q || (burst_ready_i && !more));

  always_ff @(posedge clk_i) begin
    if (busy_q && burst_ready_i) begin
      busy_q  <= more;
      first_q <= 1'b0;
      beat_q  <= {beat_q[BeatAddrBits-1:4] + 1'b1, 4'd0};
      left_q  <= left_q - CountBits'(to_cut) - 1'b1;
    end
    if (req_valid_i && req_ready_o) begin
      busy_q  <= 1'b1;
      first_q <= 1'b1;
      beat_q  <= req_addr_i[31:OffsetBits];
      left_q  <= last_byte[17:OffsetBits];
      begin_q <= req_addr_i[OffsetBits-1:0];
      end_q   <= last_byte[OffsetBits-1:0];
      extra_q <= last_place[OffsetBits];
    end
    if (!rst_ni || drop_i) busy_q <= 1'b0;
  end
endmodule
