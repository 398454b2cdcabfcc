/// Sizes that follow from a shape, with one multiplier: 15 cycles.
module weight_sizes
  import weight_pkg::*;
(
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       start_i,   ///< take shape_i and bits_i, which stay
    input  shape_t     shape_i,
    input  logic [4:0] bits_i,    ///< of a code
    output logic       done_o,    ///< one cycle: sizes_o is valid from now on
    output sizes_t     sizes_o
);
  typedef enum logic [2:0] { Idle, RowLines, Lines, Tile, OutImage, InImage } state_e;
  state_e state_q;
  logic [ 1:0] phase_q;  // operands, product, result
  logic [19:0] x_q;
  logic [11:0] y_q;
  logic [31:0] product_q;
  logic [25:0] padded;
  assign padded = {product_q[25:6] + 20'(product_q[5:0] != '0), 6'd0};

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Lines:    {x_q, y_q} <= {sizes_o.row_lines, shape_i.ins};
      Tile:     {x_q, y_q} <= {20'(shape_i.taps), 7'd0, bits_i};
      OutImage: {x_q, y_q} <= {20'(sizes_o.tile), shape_i.in_blocks};
      InImage:  {x_q, y_q} <= {20'(sizes_o.tile), shape_i.out_blocks};
      default:  {x_q, y_q} <= {20'(shape_i.taps), shape_i.out_blocks};
    endcase
    product_q <= 32'(x_q) * 32'(y_q);
    phase_q   <= state_q == Idle || phase_q == 2'd2 ? '0 : phase_q + 2'd1;
    if (phase_q == 2'd2) begin
      unique case (state_q)
        RowLines: sizes_o.row_lines <= product_q[19:0];
        Lines:    sizes_o.lines     <= {product_q[21:0], 4'd0};
        Tile:     sizes_o.tile      <= {product_q[11:0], 1'b0};
        OutImage: sizes_o.out_image <= padded;
        default:  sizes_o.in_image  <= padded;
      endcase
      state_q <= state_q == InImage ? Idle : state_e'(state_q + 3'd1);
    end
    if (start_i) state_q <= RowLines;
    if (!rst_ni) state_q <= Idle;
    done_o <= rst_ni && state_q == InImage && phase_q == 2'd2;
  end

  logic unused;
  assign unused = &{1'b0, product_q[31:26], shape_i.outs};
endmodule
