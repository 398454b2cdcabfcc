/// The memory port of the core, lent to the vector unit while the core is idle.
module port_share #(
    parameter  int unsigned BusBytes = 8,
    localparam int unsigned DataBits = 8 * BusBytes
) (
    input  logic                vector_i,             ///< the port is the vector unit's
    input  logic                core_rd_req_valid_i,
    output logic                core_rd_req_ready_o,
    input  logic [31:0]         core_rd_req_addr_i,
    input  logic [17:0]         core_rd_req_bytes_i,
    output logic                core_rd_valid_o,
    input  logic                core_rd_ready_i,
    input  logic                core_wr_req_valid_i,
    output logic                core_wr_req_ready_o,
    input  logic [31:0]         core_wr_req_addr_i,
    input  logic [17:0]         core_wr_req_bytes_i,
    input  logic                core_wr_valid_i,
    output logic                core_wr_ready_o,
    input  logic [DataBits-1:0] core_wr_data_i,
    input  logic                vector_rd_req_valid_i,
    output logic                vector_rd_req_ready_o,
    input  logic [31:0]         vector_rd_req_addr_i,
    input  logic [17:0]         vector_rd_req_bytes_i,
    output logic                vector_rd_valid_o,
    input  logic                vector_rd_ready_i,
    input  logic                vector_wr_req_valid_i,
    output logic                vector_wr_req_ready_o,
    input  logic [31:0]         vector_wr_req_addr_i,
    input  logic [17:0]         vector_wr_req_bytes_i,
    input  logic                vector_wr_valid_i,
    output logic                vector_wr_ready_o,
    input  logic [DataBits-1:0] vector_wr_data_i,
    output logic                rd_req_valid_o,
    input  logic                rd_req_ready_i,
    output logic [31:0]         rd_req_addr_o,
    output logic [17:0]         rd_req_bytes_o,
    input  logic                rd_valid_i,
    output logic                rd_ready_o,
    output logic                wr_req_valid_o,
    input  logic                wr_req_ready_i,
    output logic [31:0]         wr_req_addr_o,
    output logic [17:0]         wr_req_bytes_o,
    output logic                wr_valid_o,
    input  logic                wr_ready_i,
    output logic [DataBits-1:0] wr_data_o
);
  assign core_rd_req_ready_o   = rd_req_ready_i && !vector_i;
  assign core_rd_valid_o       = rd_valid_i && !vector_i;
  assign core_wr_req_ready_o   = wr_req_ready_i && !vector_i;
  assign core_wr_ready_o       = wr_ready_i && !vector_i;
  assign vector_rd_req_ready_o = rd_req_ready_i && vector_i;
  assign vector_rd_valid_o     = rd_valid_i && vector_i;
  assign vector_wr_req_ready_o = wr_req_ready_i && vector_i;
  assign vector_wr_ready_o     = wr_ready_i && vector_i;

  assign rd_req_valid_o = vector_i ? vector_rd_req_valid_i : core_rd_req_valid_i;
  assign rd_req_addr_o  = vector_i ? vector_rd_req_addr_i : core_rd_req_addr_i;
  assign rd_req_bytes_o = vector_i ? vector_rd_req_bytes_i : core_rd_req_bytes_i;
  assign rd_ready_o     = vector_i ? vector_rd_ready_i : core_rd_ready_i;
  assign wr_req_valid_o = vector_i ? vector_wr_req_valid_i : core_wr_req_valid_i;
  assign wr_req_addr_o  = vector_i ? vector_wr_req_addr_i : core_wr_req_addr_i;
  assign wr_req_bytes_o = vector_i ? vector_wr_req_bytes_i : core_wr_req_bytes_i;
  assign wr_valid_o     = vector_i ? vector_wr_valid_i : core_wr_valid_i;
  assign wr_data_o      = vector_i ? vector_wr_data_i : core_wr_data_i;
endmodule
