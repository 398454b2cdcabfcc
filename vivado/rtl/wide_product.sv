/// A signed product in pieces of 25 x 18 bits, each a DSP48E1, a result a cycle. `Latency` is 4 cycles.
module wide_product #(
    parameter  int unsigned ABits   = 25,
    parameter  int unsigned BBits   = 18,
    localparam int unsigned APieces = ABits <= 25 ? 1 : (ABits - 25 + 23) / 24 + 1,
    localparam int unsigned BPieces = BBits <= 18 ? 1 : (BBits - 18 + 16) / 17 + 1
) (
    input  logic                   clk_i,
    input  logic [      ABits-1:0] a_i,
    input  logic [      BBits-1:0] b_i,
    output logic [ABits+BBits-1:0] product_o  ///< of a_i and b_i four cycles ago
);
  localparam int unsigned Bits = ABits + BBits;

  // Pieces below the top one are unsigned: they get a sign of 0.
  logic [25*APieces-1:0] a_wide;
  logic [18*BPieces-1:0] b_wide;
  assign a_wide = (25 * APieces)'($signed(a_i));
  assign b_wide = (18 * BPieces)'($signed(b_i));

  logic signed [24:0] a_q[APieces];
  logic signed [17:0] b_q[BPieces];
  logic signed [42:0] piece_q[APieces][BPieces];
  logic signed [Bits-1:0] row_d[APieces], row_q[APieces], sum;

  always_comb begin
    sum = '0;
    for (int unsigned i = 0; i < APieces; i++) begin
      row_d[i] = '0;
      for (int unsigned j = 0; j < BPieces; j++) row_d[i] += Bits'(piece_q[i][j]) <<< 17 * j;
      sum += row_q[i] <<< 24 * i;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < APieces; i++) begin
      a_q[i]   <= i == APieces - 1 ? $signed(a_wide[24*i+:25]) : {1'b0, a_wide[24*i+:24]};
      row_q[i] <= row_d[i];
      for (int unsigned j = 0; j < BPieces; j++) piece_q[i][j] <= 43'(a_q[i]) * 43'(b_q[j]);
    end
    for (int unsigned j = 0; j < BPieces; j++) begin
      b_q[j] <= j == BPieces - 1 ? $signed(b_wide[17*j+:18]) : {1'b0, b_wide[17*j+:17]};
    end
    product_o <= sum;
  end
endmodule
