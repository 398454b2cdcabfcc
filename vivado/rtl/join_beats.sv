/// Takes the lower bytes from one beat and the others from the next, both rotated by another two bytes if need be.
///
/// The rotation's last step and the choice are one LUT6 a bit.
module join_beats #(
    parameter int unsigned Bytes = 8
) (
    input  logic [8*Bytes-1:0] kept_i,
    input  logic [8*Bytes-1:0] next_i,
    input  logic               turn_i,       ///< rotate both towards the lowest byte by two bytes
    input  logic [  Bytes-1:0] from_kept_i,  ///< bytes of the result that come from kept_i
    output logic [8*Bytes-1:0] data_o
);
  logic [8*Bytes-1:0] kept, next;
  assign kept = turn_i ? {kept_i[15:0], kept_i[8*Bytes-1:16]} : kept_i;
  assign next = turn_i ? {next_i[15:0], next_i[8*Bytes-1:16]} : next_i;

  for (genvar i = 0; i < Bytes; i++) begin : gen_byte
    assign data_o[8*i+:8] = from_kept_i[i] ? kept[8*i+:8] : next[8*i+:8];
  end
endmodule
