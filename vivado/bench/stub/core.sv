/// A stub of the core for the bench of registers and list runner: a command's seed determines how it ends.
///
/// seed_lo: cycles that it takes; seed_hi: 0 well, 1 with a failed read, 2 with a failed write.
module core
  import contract_pkg::*;
  import command_pkg::*;
  import rounding_pkg::*;
#(
    parameter  build_t      Build      = BUILD_TINY,
    parameter  bit          VectorUnit = 1'b0,
    localparam int unsigned DataBits = 8 * Build.bus_bytes
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                flush_i,
    output logic                idle_o,
    input  logic                cmd_valid_i,
    output logic                cmd_ready_o,
    input  decoded_t            cmd_i,
    input  logic [        31:0] mem_base_i,
    output logic                cmd_done_o,
    output logic                load_error_o,
    output logic                store_error_o,
    output logic                busy_o,
    output logic                load_stall_o,
    output logic                store_stall_o,
    output logic                rd_req_valid_o,
    input  logic                rd_req_ready_i,
    output logic [        31:0] rd_req_addr_o,
    output logic [        17:0] rd_req_bytes_o,
    input  logic                rd_data_valid_i,
    output logic                rd_data_ready_o,
    input  logic [DataBits-1:0] rd_data_i,
    input  logic                rd_last_i,
    input  logic                rd_error_i,
    input  logic                rd_idle_i,
    output logic                wr_req_valid_o,
    input  logic                wr_req_ready_i,
    output logic [        31:0] wr_req_addr_o,
    output logic [        17:0] wr_req_bytes_o,
    output logic                wr_data_valid_o,
    input  logic                wr_data_ready_i,
    output logic [DataBits-1:0] wr_data_o,
    input  logic                wr_idle_i,
    input  logic                wr_error_i,
    input  lent_t               lent_i,
    output logic [15:0][  15:0] lent_values_o
);
  logic [31:0] left_q;
  logic [ 1:0] fate_q;
  logic        running_q;
  logic [ 3:0] drain_q;   // cycles that a flush takes

  assign cmd_ready_o   = !running_q && !flush_i;
  assign cmd_done_o    = running_q && left_q == '0 && fate_q == 2'd0;
  assign load_error_o  = running_q && left_q == '0 && fate_q == 2'd1;
  assign store_error_o = running_q && left_q == '0 && fate_q == 2'd2;
  assign busy_o        = running_q && left_q != '0;
  assign idle_o        = !running_q && drain_q == '0 && rd_idle_i && wr_idle_i;
  assign {load_stall_o, store_stall_o} = {1'b0, busy_o && left_q[0]};
  assign {rd_req_valid_o, wr_req_valid_o, wr_data_valid_o, rd_data_ready_o} = '0;
  assign lent_values_o = '0;
  assign {rd_req_addr_o, rd_req_bytes_o, wr_req_addr_o, wr_req_bytes_o, wr_data_o} = '0;

  always_ff @(posedge clk_i) begin
    if (cmd_valid_i && cmd_ready_o) begin
      running_q <= 1'b1;
      left_q    <= cmd_i.c.seed_lo;
      fate_q    <= cmd_i.c.seed_hi[1:0];
    end else if (left_q != '0) begin
      left_q <= left_q - 32'd1;
    end else if (cmd_done_o) begin
      running_q <= 1'b0;
    end
    if (drain_q != '0) drain_q <= drain_q - 4'd1;
    if (flush_i && running_q) drain_q <= '1;
    if (!rst_ni || flush_i) running_q <= 1'b0;
    if (!rst_ni) {drain_q, left_q} <= '0;
  end

  logic unused;
  assign unused = &{1'b0, VectorUnit, cmd_i, mem_base_i, rd_req_ready_i, rd_data_valid_i, rd_data_i, rd_last_i,
                    rd_error_i, wr_req_ready_i, wr_data_ready_i, wr_error_i, lent_i};
endmodule
