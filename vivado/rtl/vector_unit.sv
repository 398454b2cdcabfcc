/// Runs the commands from MAP on: one engine for each family, one command at a time, one port to memory.
///
/// An engine is given a checked command and asks for byte ranges of the region. A read comes back as full beats, first
/// byte lowest (axi_reader); a write is given as such (axi_writer). Answers come in the order of the requests, and
/// several requests may be in flight. An engine need not look for bus errors: a beat that was answered with one is
/// never shown to it, and nothing it writes leaves after that. It reads headers and judges them before all else.
module vector_unit
  import contract_pkg::*;
  import command_pkg::*;
  import vector_pkg::*;
  import rounding_pkg::*;
#(
    parameter  int unsigned BusBytes = 8,
    localparam int unsigned DataBits = 8 * BusBytes
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                flush_i,         ///< drop everything
    input  logic                cmd_valid_i,     ///< only when all commands before are complete in memory
    output logic                cmd_ready_o,
    input  words_t              words_i,
    input  logic [20:0]         count_i,
    input  logic [31:0]         mem_base_i,
    output logic                active_o,        ///< the memory port is this unit's
    output logic                done_o,          ///< one cycle: the command is complete in memory
    output logic [ 7:0]         error_o,         ///< not OK: it has ended with this; until flush_i
    output logic                rd_req_valid_o,
    input  logic                rd_req_ready_i,
    output logic [31:0]         rd_req_addr_o,
    output logic [17:0]         rd_req_bytes_o,
    input  logic                rd_data_valid_i,
    output logic                rd_data_ready_o,
    input  logic [DataBits-1:0] rd_data_i,
    input  logic                rd_last_i,
    input  logic                rd_error_i,
    output logic                wr_req_valid_o,
    input  logic                wr_req_ready_i,
    output logic [31:0]         wr_req_addr_o,
    output logic [17:0]         wr_req_bytes_o,
    output logic                wr_data_valid_o,
    input  logic                wr_data_ready_i,
    output logic [DataBits-1:0] wr_data_o,
    input  logic                wr_idle_i,
    input  logic                wr_error_i,
    output lent_t               lent_o,          ///< what the core's rounding is to do
    input  logic [15:0][15:0]   rounded_i
);
  localparam int unsigned Engines = 3;

  typedef enum logic [2:0] { Idle, Start, Run, Settle, Failed } state_e;
  state_e state_q;
  words_t words_q;
  logic [20:0] count_q;
  logic run_n, live, take, failed_read;
  family_e family_q;
  logic [1:0] which;  // engine
  assign run_n       = rst_ni && !flush_i;
  assign live        = state_q inside {Start, Run, Settle};
  assign cmd_ready_o = state_q == Idle && run_n;
  assign take        = cmd_valid_i && cmd_ready_o;
  assign active_o    = state_q != Idle;
  assign which       = family_q == FamilyMap ? 2'd0 : family_q == FamilyScalar ? 2'd1 : 2'd2;

  logic [Engines-1:0] start, done, rd_ready, wr_valid;
  logic [Engines-1:0][7:0] error;
  request_t [Engines-1:0] rd_req, wr_req;
  logic [Engines-1:0][DataBits-1:0] wr_data;
  always_comb begin
    start = '0;
    start[which] = state_q == Start;
  end

  // The port is that of the engine that runs; the others see nothing of it.
  logic [Engines-1:0] mine, rd_valid, rd_req_ready, wr_req_ready, wr_ready;
  always_comb begin
    mine = '0;
    mine[which] = live;
  end
  assign failed_read     = live && rd_data_valid_i && rd_error_i;
  assign rd_valid        = mine & {Engines{rd_data_valid_i && !rd_error_i}};
  assign rd_data_ready_o = live && rd_ready[which] && !rd_error_i;
  assign rd_req_valid_o  = live && rd_req[which].valid;
  assign rd_req_addr_o   = rd_req[which].addr + mem_base_i;
  assign rd_req_bytes_o  = rd_req[which].bytes;
  assign rd_req_ready    = mine & {Engines{rd_req_ready_i}};
  assign wr_req_valid_o  = live && wr_req[which].valid;
  assign wr_req_addr_o   = wr_req[which].addr + mem_base_i;
  assign wr_req_bytes_o  = wr_req[which].bytes;
  assign wr_req_ready    = mine & {Engines{wr_req_ready_i}};
  assign wr_data_valid_o = live && wr_valid[which] && !failed_read;
  assign wr_data_o       = wr_data[which];
  assign wr_ready        = mine & {Engines{wr_data_ready_i && !failed_read}};

  map_engine #(.BusBytes(BusBytes)) u_map (
      .clk_i,
      .rst_ni        (run_n),
      .start_i       (start[0]),
      .words_i       (words_q),
      .count_i       (count_q),
      .done_o        (done[0]),
      .error_o       (error[0]),
      .rd_req_o      (rd_req[0]),
      .rd_req_ready_i(rd_req_ready[0]),
      .rd_valid_i    (rd_valid[0]),
      .rd_ready_o    (rd_ready[0]),
      .rd_data_i,
      .rd_last_i,
      .wr_req_o      (wr_req[0]),
      .wr_req_ready_i(wr_req_ready[0]),
      .wr_valid_o    (wr_valid[0]),
      .wr_ready_i    (wr_ready[0]),
      .wr_data_o     (wr_data[0]),
      .wr_idle_i,
      .lent_o,
      .rounded_i
  );
  scalar_engine #(.BusBytes(BusBytes)) u_scalar (
      .clk_i,
      .rst_ni        (run_n),
      .start_i       (start[1]),
      .words_i       (words_q),
      .count_i       (count_q),
      .done_o        (done[1]),
      .error_o       (error[1]),
      .rd_req_o      (rd_req[1]),
      .rd_req_ready_i(rd_req_ready[1]),
      .rd_valid_i    (rd_valid[1]),
      .rd_ready_o    (rd_ready[1]),
      .rd_data_i,
      .rd_last_i,
      .wr_req_o      (wr_req[1]),
      .wr_req_ready_i(wr_req_ready[1]),
      .wr_valid_o    (wr_valid[1]),
      .wr_ready_i    (wr_ready[1]),
      .wr_data_o     (wr_data[1]),
      .wr_idle_i
  );
  weight_engine #(.BusBytes(BusBytes)) u_weight (
      .clk_i,
      .rst_ni        (run_n),
      .start_i       (start[2]),
      .words_i       (words_q),
      .count_i       (count_q),
      .done_o        (done[2]),
      .error_o       (error[2]),
      .rd_req_o      (rd_req[2]),
      .rd_req_ready_i(rd_req_ready[2]),
      .rd_valid_i    (rd_valid[2]),
      .rd_ready_o    (rd_ready[2]),
      .rd_data_i,
      .rd_last_i,
      .wr_req_o      (wr_req[2]),
      .wr_req_ready_i(wr_req_ready[2]),
      .wr_valid_o    (wr_valid[2]),
      .wr_ready_i    (wr_ready[2]),
      .wr_data_o     (wr_data[2]),
      .wr_idle_i
  );

  // A command. Its writes are complete when the writer is idle; the request may still be on its way there in the
  // cycle of done_o, so Settle looks a cycle later.
  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        error_o <= 8'(ERROR_OK);
        if (take) begin
          words_q  <= words_i;
          count_q  <= count_i;
          family_q <= family_of(words_i[0][7:0]);
          state_q  <= Start;
        end
      end
      Start: state_q <= Run;
      Settle: if (wr_idle_i && !wr_error_i) state_q <= Idle;
      default: ;
    endcase
    if (live && done[which]) begin
      error_o <= error[which];
      state_q <= error[which] == 8'(ERROR_OK) ? Settle : Failed;
    end
    if (live && wr_error_i) begin
      error_o <= 8'(ERROR_WRITE_BUS);
      state_q <= Failed;
    end
    if (failed_read) begin
      error_o <= 8'(ERROR_READ_BUS);
      state_q <= Failed;
    end
    if (!run_n) begin
      state_q <= Idle;
      error_o <= 8'(ERROR_OK);
    end
  end
  assign done_o = state_q == Settle && wr_idle_i && !wr_error_i && run_n;
endmodule
