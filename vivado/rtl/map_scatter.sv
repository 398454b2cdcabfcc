/// Turns both results of a pixel into words of planes and says in which banks they belong. Latency 2.
module map_scatter
  import map_pkg::*;
#(
    parameter  int unsigned Banks    = 16,
    localparam int unsigned BankBits = $clog2(Banks),
    localparam int unsigned AddrBits = $clog2(OutStrips) + 1 + 4
) (
    input  logic                           clk_i,
    input  logic                           valid_i,
    input  logic [AddrBits-6:0]            strip_i,
    input  logic [BankBits:0]              lane_i,
    input  logic [2:0]                     gather_i,
    input  logic [1:0][15:0][15:0]         values_i,   ///< by channel
    output logic [Banks-1:0]               write_o,
    output logic [Banks-1:0][AddrBits-1:0] addr_o,     ///< strip, part, plane
    output logic [Banks-1:0][1:0][15:0]    data_o
);
  localparam int unsigned Pixels    = Banks / 16;
  localparam int unsigned PixelBits = $clog2(Pixels);

  logic valid_q;
  logic [AddrBits-6:0] strip_q;
  logic [BankBits:0] lane_q;
  logic [3:0] first;
  assign first = 4'(lane_q[BankBits-1:0] >> PixelBits);

  // Stage 1: words in the order of their places.
  logic [1:0][255:0] ordered_q, turned;
  for (genvar o = 0; o < 2; o++) begin : gen_out
    logic [3:0][15:0][15:0] orders;
    logic [255:0] ordered;
    for (genvar g = 0; g < 4; g++) begin : gen_order
      for (genvar p = 0; p < 16; p++) begin : gen_place
        for (genvar ch = 0; ch < 16; ch++) begin : gen_channel
          assign orders[g][p][ch] = values_i[o][ch][plane_at(4'(p), 3'(g))];
        end
      end
    end
    select_four #(.Width(256)) u_order (.data_i(orders), .select_i(gather_i[1:0]), .data_o(ordered));
    always_ff @(posedge clk_i) ordered_q[o] <= ordered;
    rotate #(.Bytes(32), .UnitBytes(2)) u_turn (
        .data_i(ordered_q[o]), .shift_i(4'd0 - first), .data_o(turned[o])
    );
  end

  // Stage 2: turned to the pixel's banks.
  always_ff @(posedge clk_i) begin
    valid_q <= valid_i;
    strip_q <= strip_i;
    lane_q  <= lane_i;
    for (int b = 0; b < Banks; b++) begin
      write_o[b] <= valid_q && (Pixels == 1 || lane_q[0] == b[0]);
      addr_o[b]  <= {strip_q, lane_q[BankBits], plane_at(4'(b / Pixels) - first, gather_i)};
      data_o[b]  <= {turned[1][16*(b/Pixels)+:16], turned[0][16*(b/Pixels)+:16]};
    end
  end
endmodule
