/// The shape of a layer's weights from its fields: groups are divided out, a bit of the quotients a cycle.
module weight_shape
  import contract_pkg::*;
  import command_pkg::*;
  import weight_pkg::*;
(
    input  logic   clk_i,
    input  logic   rst_ni,
    input  logic   start_i,   ///< take words_i, which stay
    input  words_t words_i,   ///< UPDATE or WEIGHTS
    output logic   done_o,    ///< from when the rest is valid until the next start
    output logic   groups_o,  ///< there are none, or whole ones, as many on either side
    output shape_t shape_o    ///< valid if the fields are legal
);
  logic [15:0] in_channels, out_channels, group_in, group_out;
  assign {out_channels, in_channels} = words_i[WEIGHT_FIELD_IN_CHANNELS_WORD];
  assign {group_out, group_in}       = words_i[WEIGHT_FIELD_GROUP_IN_WORD];

  // Both quotients, by shifting and subtracting.
  logic [4:0] left_q;
  logic [15:0] in_rest_q, out_rest_q, in_quotient_q, out_quotient_q;
  logic [16:0] in_trial, out_trial;
  assign in_trial  = {in_rest_q, in_quotient_q[15]} - {1'b0, group_in};
  assign out_trial = {out_rest_q, out_quotient_q[15]} - {1'b0, group_out};
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      left_q         <= 5'd17;  // and a cycle for the shape
      in_rest_q      <= '0;
      out_rest_q     <= '0;
      in_quotient_q  <= in_channels;
      out_quotient_q <= out_channels;
    end else if (left_q > 5'd1) begin
      left_q         <= left_q - 5'd1;
      in_rest_q      <= in_trial[16] ? {in_rest_q[14:0], in_quotient_q[15]} : in_trial[15:0];
      out_rest_q     <= out_trial[16] ? {out_rest_q[14:0], out_quotient_q[15]} : out_trial[15:0];
      in_quotient_q  <= {in_quotient_q[14:0], !in_trial[16]};
      out_quotient_q <= {out_quotient_q[14:0], !out_trial[16]};
    end
    if (left_q == 5'd1 && !start_i) left_q <= '0;
    if (!rst_ni) left_q <= '0;
  end
  assign done_o   = left_q == '0;
  assign groups_o = group_in == '0 || group_out == '0 ? group_in == group_out
                    : in_rest_q == '0 && out_rest_q == '0 && in_quotient_q == out_quotient_q;

  // Groups of so many channels that fill whole blocks: 16 / gcd(16, side), a power of two of which this is the
  // exponent.
  function automatic logic [2:0] filling(logic [3:0] side);
    if (side[0]) return 3'd4;
    if (side[1]) return 3'd3;
    if (side[2]) return 3'd2;
    return side[3] ? 3'd1 : 3'd0;
  endfunction
  logic [2:0] in_power, out_power, power;
  logic bundled;
  assign in_power  = filling(group_in[3:0]);
  assign out_power = filling(group_out[3:0]);
  assign power     = in_power > out_power ? in_power : out_power;
  assign bundled   = group_in != '0 && in_quotient_q > 16'd1 << power;

  logic [15:0] in_filled, out_filled;
  assign in_filled  = 16'(20'(group_in) << power >> 4);
  assign out_filled = 16'(20'(group_out) << power >> 4);
  logic [11:0] ins, outs;
  assign ins  = 12'((17'(in_channels) + 17'd15) >> 4);
  assign outs = 12'((17'(out_channels) + 17'd15) >> 4);
  always_ff @(posedge clk_i) begin
    shape_o <= '{ins: ins, outs: outs, in_blocks: bundled ? in_filled[11:0] : ins,
                 out_blocks: bundled ? out_filled[11:0] : outs,
                 taps: 8'(words_i[WEIGHT_FIELD_KERNEL_H_WORD][3:0]) * 8'(words_i[WEIGHT_FIELD_KERNEL_W_WORD][11:8])};
  end

  logic unused;
  assign unused = &{1'b0, words_i, in_filled[15:12], out_filled[15:12]};
endmodule
