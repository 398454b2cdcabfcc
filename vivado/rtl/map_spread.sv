/// Which banks a piece is in, and which plane each of them holds. Latency 1.
module map_spread
  import map_pkg::*;
#(
    parameter  int unsigned Banks    = 16,
    localparam int unsigned BankBits = $clog2(Banks)
) (
    input  logic                  clk_i,
    input  logic [BankBits-1:0]   bank_i,    ///< the first
    input  logic [BankBits:0]     words_i,
    input  logic [BankBits-1:0]   lane_i,    ///< of the row, modulo Banks
    input  logic [3:0]            plane_i,   ///< the run's first, a multiple of 2^gather
    input  logic [2:0]            gather_i,
    output logic [Banks-1:0]      banks_o,
    output logic [Banks-1:0][3:0] planes_o
);
  localparam int unsigned Pixels    = Banks / 16;
  localparam int unsigned PixelBits = $clog2(Pixels);

  logic [3:0] first;
  assign first = 4'(lane_i >> PixelBits) + place_of(plane_i, gather_i);
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    logic [BankBits-1:0] behind;
    logic [3:0] place, beside;
    assign behind = BankBits'(b) - bank_i;
    assign place  = 4'(b / Pixels) - first;
    assign beside = 4'(8'({4'd0, place} << gather_i) >> 4);
    always_ff @(posedge clk_i) begin
      banks_o[b]  <= (BankBits + 1)'(behind) < words_i;
      planes_o[b] <= plane_i | beside;
    end
  end
endmodule
