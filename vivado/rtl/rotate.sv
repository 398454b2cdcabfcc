/// Rotates a beat towards its lowest byte by a multiple of some bytes, in stages of four-to-one multiplexers, a LUT6
/// a bit; the last may be two-to-one.
module rotate #(
    parameter  int unsigned Bytes     = 8,                    ///< a power of two from 2 * UnitBytes
    parameter  int unsigned UnitBytes = 4,
    localparam int unsigned ShiftBits = $clog2(Bytes / UnitBytes)
) (
    input  logic [  8*Bytes-1:0] data_i,
    input  logic [ShiftBits-1:0] shift_i,  ///< in units
    output logic [  8*Bytes-1:0] data_o
);
  localparam int unsigned Stages = (ShiftBits + 1) / 2;
  localparam int unsigned Bits   = 8 * Bytes;

  logic [2*Stages-1:0] shift;
  assign shift  = (2 * Stages)'(shift_i);
  assign data_o = gen_stage[Stages-1].result;

  for (genvar s = 0; s < Stages; s++) begin : gen_stage
    localparam int unsigned Step = 8 * UnitBytes * 4 ** s;
    logic [Bits-1:0] given, result;
    logic [3:0][Bits-1:0] turned;
    if (s == 0) begin : gen_first
      assign given = data_i;
    end else begin : gen_next
      assign given = gen_stage[s-1].result;
    end
    for (genvar i = 0; i < 4; i++) begin : gen_choice
      if (i * Step % Bits == 0) begin : gen_same
        assign turned[i] = given;
      end else begin : gen_turned
        assign turned[i] = {given[i*Step%Bits-1:0], given[Bits-1:i*Step%Bits]};
      end
    end
    if (2 * s + 1 < ShiftBits) begin : gen_four
      select_four #(.Width(Bits)) u_select (.data_i(turned), .select_i(shift[2*s+:2]), .data_o(result));
    end else begin : gen_two
      select_two #(.Width(Bits)) u_select (
          .zero_i(turned[0]), .one_i(turned[1]), .select_i(shift[2*s]), .data_o(result)
      );
      logic unused;
      assign unused = &{1'b0, shift, turned};
    end
  end
endmodule
