/// Reads the headers of the blocks that a command reads, and judges them: each must have its kind and its channels.
///
/// All are read before the verdict: a bus error comes before COEFFICIENTS.
module weight_headers
  import contract_pkg::*;
  import vector_pkg::*;
#(
    parameter  int unsigned BusBytes = 8,
    localparam int unsigned DataBits = 8 * BusBytes
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                start_i,
    input  logic [ 1:0]         last_i,          ///< number of blocks, minus 1
    input  logic [2:0][31:0]    addr_i,          ///< this and the next two stay
    input  logic [2:0][31:0]    kind_i,
    input  logic [2:0][15:0]    channels_i,
    output logic                done_o,          ///< one cycle: the rest is valid from now on
    output logic                good_o,
    output logic [2:0][255:0]   headers_o,       ///< the first 32 bytes of each
    output request_t            rd_req_o,
    input  logic                rd_req_ready_i,
    input  logic                rd_valid_i,
    output logic                rd_ready_o,
    input  logic [DataBits-1:0] rd_data_i,
    input  logic                rd_last_i
);
  localparam int unsigned Bytes = 32;
  localparam bit          Whole = BusBytes >= Bytes;  // in a beat
  logic asking_q, taking_q, judging_q, bad;
  logic [1:0] asked_q, taken_q;
  assign rd_req_o   = '{valid: asking_q, addr: addr_i[asked_q], bytes: 18'(Bytes)};
  assign rd_ready_o = 1'b1;
  always_comb begin
    bad = 1'b0;
    for (int unsigned i = 0; i < 3; i++) begin
      bad |= 2'(i) <= last_i && headers_o[i][63:0] != {16'd0, channels_i[i], kind_i[i]};
    end
  end

  always_ff @(posedge clk_i) begin
    if (rd_valid_i && taking_q) begin
      for (int unsigned i = 0; i < 3; i++) begin
        if (taken_q == 2'(i)) headers_o[i] <= Whole ? 256'(rd_data_i) : 256'({rd_data_i, headers_o[i]} >> DataBits);
      end
      if (rd_last_i) taken_q <= taken_q + 2'd1;
    end
    if (asking_q && rd_req_ready_i) asked_q <= asked_q + 2'd1;
    judging_q <= rd_valid_i && taking_q && rd_last_i && taken_q == last_i;
    good_o    <= judging_q ? !bad : good_o;
    done_o    <= judging_q;
    if (start_i) {asking_q, taking_q, asked_q, taken_q} <= {2'b11, 4'd0};
    else begin
      if (rd_req_ready_i && asked_q == last_i) asking_q <= 1'b0;
      if (rd_valid_i && rd_last_i && taken_q == last_i) taking_q <= 1'b0;
    end
    if (!rst_ni) {asking_q, taking_q, judging_q, done_o} <= '0;
  end
endmodule
