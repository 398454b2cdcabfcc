/// The checker of a build with flat pins.
module checker_bench
  import contract_pkg::*;
  import command_pkg::*;
#(
    parameter int unsigned BuildNumber = 0,  ///< 0: tiny, 1: zc706
    parameter int unsigned VectorUnit  = 0   ///< whether there is one
) (
    input  logic         clk,
    input  logic         rst_n,
    input  logic         start,
    input  logic [735:0] words,
    input  logic         reserved,
    input  logic [ 31:0] mem_bytes,
    input  logic [ 31:0] list_begin,
    input  logic [ 31:0] list_end,
    output logic         done,
    output logic [  7:0] error,
    output logic [ 39:0] rows,
    output logic [ 31:0] a_tile,
    output logic [ 31:0] b_tile,
    output logic [ 31:0] out_tile,
    output logic [ 31:0] a_end,
    output logic [ 31:0] b_end,
    output logic [ 31:0] out_end,
    output logic [ 31:0] sums_end,
    output logic [ 31:0] tally_end
);
  decoded_t decoded;

  command_check #(.Build(BuildNumber == 0 ? BUILD_TINY : BUILD_ZC706), .VectorUnit(VectorUnit != 0)) u_check (
      .clk_i       (clk),
      .rst_ni      (rst_n),
      .clear_i     (1'b0),
      .start_i     (start),
      .words_i     (words),
      .reserved_i  (reserved),
      .mem_bytes_i (mem_bytes),
      .list_begin_i(list_begin),
      .list_end_i  (list_end),
      .done_o      (done),
      .error_o     (error),
      .decoded_o   (decoded)
  );

  assign {rows, a_tile, b_tile, out_tile} = {decoded.rows, decoded.a_tile, decoded.b_tile, decoded.out_tile};
  assign {a_end, b_end, out_end, sums_end} = {decoded.a_end, decoded.b_end, decoded.out_end, decoded.sums_end};
  assign tally_end = decoded.tally_end;

  logic unused;
  assign unused = &{1'b0, decoded};
endmodule
