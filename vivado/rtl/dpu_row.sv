/// The dot products of one lane: a slice of A against a slice of every column of B, one operation a cycle.
///
/// acc[c] = (first ? 0 : acc[c]) +- 2^shift * popcount(a & b[c]), shift 0..31, DpuLatency cycles later; kept else.
/// Vivado and Yosys define SYNTHESIS and get LUTs and DSP48E1s, one for each column; simulators get the arithmetic,
/// also of a core that is otherwise simulated as it is synthesised (DOT_PRODUCT_MODELS).
module dpu_row #(
    parameter int unsigned Bits    = 144,  ///< of a slice of K: 48 or 144
    parameter int unsigned Columns = 16
) (
    input  logic            clk_i,
    input  logic            valid_i,
    input  logic            first_i,
    input  logic            negate_i,
    input  logic [     4:0] shift_i,
    input  logic [Bits-1:0] a_i,
    input  logic [Bits-1:0] b_i[Columns],
    output logic [    47:0] acc_o[Columns]
);
`ifdef SYNTHESIS
`ifndef DOT_PRODUCT_MODELS
`define DOT_PRODUCTS_IN_LUTS
`endif
`endif
`ifdef DOT_PRODUCTS_IN_LUTS
  localparam int unsigned CountBits = $clog2(Bits + 1);

  logic [17:0] weight;
  logic high, first, valid;

  dpu_control u_control (
      .clk_i, .valid_i, .first_i, .negate_i, .shift_i, .weight_o(weight), .high_o(high), .first_o(first),
          .valid_o(valid)
  );

  for (genvar c = 0; c < Columns; c++) begin : gen_column
    logic [CountBits-1:0] count;
    popcount_lut #(.Bits(Bits)) u_count (.clk_i, .a_i, .b_i(b_i[c]), .count_o(count));
    accumulate_dsp #(.CountBits(CountBits)) u_accumulate (
        .clk_i,
        .count_i (count),
        .weight_i(weight),
        .high_i  (high),
        .first_i (first),
        .valid_i (valid),
        .acc_o   (acc_o[c])
    );
  end
`else
  dpu_row_model #(.Bits(Bits), .Columns(Columns)) u_model (
      .clk_i, .valid_i, .first_i, .negate_i, .shift_i, .a_i, .b_i, .acc_o
  );
`endif

  if (Bits != 48 && Bits != 144) begin : gen_bad_bits
    $error("dpu_row: Bits is not 48 or 144");
  end
endmodule
