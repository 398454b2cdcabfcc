/// The MAP engine with the lane of rounding that the core lends it.
module map_bench
  import command_pkg::*;
  import vector_pkg::*;
  import rounding_pkg::*;
#(
    parameter  int unsigned BusBytes = 8,
    localparam int unsigned DataBits = 8 * BusBytes
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                start_i,
    input  words_t              words_i,
    input  logic [20:0]         count_i,
    output logic                done_o,
    output logic [ 7:0]         error_o,
    output request_t            rd_req_o,
    input  logic                rd_req_ready_i,
    input  logic                rd_valid_i,
    output logic                rd_ready_o,
    input  logic [DataBits-1:0] rd_data_i,
    input  logic                rd_last_i,
    output request_t            wr_req_o,
    input  logic                wr_req_ready_i,
    output logic                wr_valid_o,
    input  logic                wr_ready_i,
    output logic [DataBits-1:0] wr_data_o,
    input  logic                wr_idle_i
);
  lent_t lent;
  logic [15:0][15:0] rounded;
  map_engine #(.BusBytes(BusBytes)) u_map (.*, .lent_o(lent), .rounded_i(rounded));
  rounding_lane #(.Lends(1'b1)) u_rounding (
      .clk_i, .rounds_i('0), .base_i('0), .low_i('0), .sums_i('0), .lent_i(lent), .values_o(rounded)
  );
endmodule
