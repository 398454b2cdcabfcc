/// Where a step of an UPDATE is in the layer: which of its words are weights, where rows and bundles begin and end.
///
/// Words lie [ci][block of co][tap][16]; a row is what an input channel has.
module weight_update_walk
  import contract_pkg::*;
  import command_pkg::*;
  import weight_pkg::*;
#(
    parameter  int unsigned Lanes    = 1,
    localparam int unsigned Parts    = 16 / Lanes,
    localparam int unsigned PartBits = $clog2(Parts)
) (
    input  logic                clk_i,
    input  logic                start_i,         ///< begin a pass
    input  words_t              words_i,
    input  shape_t              shape_i,
    input  logic                take_i,          ///< go on to the next step
    output logic [PartBits-1:0] part_o,          ///< of the line
    output logic [11:0]         block_o,         ///< in the bundle
    output logic [11:0]         base_o,          ///< the bundle's first block, of the layer's
    output logic [ Lanes-1:0]   live_o,          ///< words that are weights, a cycle later
    output logic                row_first_o,
    output logic                row_last_o,
    output logic                fresh_o,         ///< of these output channels the bundle's first step
    output logic                bundle_last_o,   ///< the bundle's last step
    output logic                last_o           ///< the layer's last step
);
  logic [15:0] in_channels, out_channels, group_in, group_out;
  assign {out_channels, in_channels} = words_i[WEIGHT_FIELD_IN_CHANNELS_WORD];
  assign {group_out, group_in}       = words_i[WEIGHT_FIELD_GROUP_IN_WORD];

  logic [PartBits-1:0] part_q;
  logic [ 7:0] tap_q;
  logic [11:0] block_q, base_q;
  logic [15:0] channel_q, in_bundle_q, in_group_q;  // the input channel, and how far it is in its bundle and group
  logic [16:0] low_q, high_q;                       // output channels of its group
  logic part_last, tap_last, block_last, bundle_ends, channel_last, group_ends;
  assign part_last    = part_q == '1;
  assign tap_last     = tap_q == shape_i.taps - 8'd1;
  assign block_last   = block_q == shape_i.out_blocks - 12'd1;
  assign bundle_ends  = in_bundle_q == {shape_i.in_blocks, 4'd0} - 16'd1;
  assign channel_last = channel_q == {shape_i.ins, 4'd0} - 16'd1;
  assign group_ends   = in_group_q == group_in - 16'd1;

  assign part_o         = part_q;
  assign block_o        = block_q;
  assign base_o         = base_q;
  assign row_first_o    = part_q == '0 && tap_q == '0 && block_q == '0;
  assign row_last_o     = part_last && tap_last && block_last;
  assign fresh_o        = in_bundle_q == '0 && tap_q == '0;
  assign bundle_last_o  = row_last_o && (bundle_ends || channel_last);
  assign last_o         = row_last_o && channel_last;

  logic [15:0] co;
  logic real_q;
  logic [Lanes-1:0] live;
  assign co = {base_q + block_q, 4'(Lanes * part_q)};
  for (genvar i = 0; i < Lanes; i++) begin : gen_live
    assign live[i] = real_q && 17'(co) + 17'(i) >= low_q && 17'(co) + 17'(i) < high_q;
  end

  always_ff @(posedge clk_i) begin
    live_o <= live;
    if (start_i) begin
      {part_q, tap_q, block_q, base_q, channel_q, in_bundle_q, in_group_q, low_q} <= '0;
      high_q <= 17'(group_in == '0 ? out_channels : group_out);
      real_q <= 1'b1;
    end else if (take_i) begin
      part_q <= part_q + 1'b1;
      if (part_last) tap_q <= tap_last ? '0 : tap_q + 8'd1;
      if (part_last && tap_last) block_q <= block_last ? '0 : block_q + 12'd1;
      if (row_last_o) begin
        channel_q   <= channel_q + 16'd1;
        real_q      <= real_q && channel_q != in_channels - 16'd1;
        in_bundle_q <= bundle_ends ? '0 : in_bundle_q + 16'd1;
        in_group_q  <= group_ends ? '0 : in_group_q + 16'd1;
        if (bundle_ends) base_q <= base_q + shape_i.out_blocks;
        if (group_ends && group_in != '0) begin
          low_q  <= low_q + 17'(group_out);
          high_q <= high_q + 17'(group_out);
        end
      end
    end
  end

  logic unused;
  assign unused = &{1'b0, words_i, shape_i.outs};
endmodule
