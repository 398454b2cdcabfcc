/// Runs the commands from MAP on: one engine for each family, one command at a time, one port to memory.
///
/// An engine is given a checked command and asks for byte ranges of the region. A read comes back as full beats, first
/// byte lowest (axi_reader); a write is given as such (axi_writer). Answers come in the order of the requests, and
/// several requests may be in flight. An engine need not look for bus errors: a beat that was answered with one is
/// never shown to it, and nothing it writes leaves after that. It reads headers and judges them before all else.
/// Engines may have narrower beats than the bus: all of them, and those of blocks and weights still narrower ones.
module vector_unit
  import contract_pkg::*;
  import command_pkg::*;
  import vector_pkg::*;
  import rounding_pkg::*;
#(
    parameter  int unsigned BusBytes    = 8,
    parameter  int unsigned PortBytes   = BusBytes,  ///< of a beat of the MAP engine,
    parameter  int unsigned NarrowBytes = BusBytes,  ///< and of those of blocks and weights, which is no more
    localparam int unsigned DataBits    = 8 * BusBytes
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
  localparam int unsigned Engines    = 3;
  localparam int unsigned PortBits   = 8 * PortBytes;
  localparam int unsigned NarrowBits = 8 * NarrowBytes;

  typedef enum logic [2:0] { Idle, Start, Run, Settle, Failed } state_e;
  state_e state_q;
  words_t words_q;
  logic [20:0] count_q;
  logic run_n, live, take, map, scalar, wr_idle;
  family_e family_q;
  logic [1:0] which;  // engine
  assign run_n       = rst_ni && !flush_i;
  assign live        = state_q inside {Start, Run, Settle};
  assign cmd_ready_o = state_q == Idle && run_n;
  assign take        = cmd_valid_i && cmd_ready_o;
  assign active_o    = state_q != Idle;
  assign map         = family_q == FamilyMap;
  assign scalar      = family_q == FamilyScalar;
  assign which       = map ? 2'd0 : scalar ? 2'd1 : 2'd2;

  logic [Engines-1:0] start, done, rd_ready, wr_valid;
  logic [Engines-1:0][7:0] error;
  request_t [Engines-1:0] rd_req, wr_req;
  logic [PortBits-1:0] map_wr_data;
  logic [Engines-1:1][NarrowBits-1:0] wr_data;
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

  // The engines' port, and what it wants of the bus.
  request_t asked, given, bus_asked, bus_given;
  logic failed_read, port_asked, port_rd_valid, port_rd_last, port_takes, port_given, port_wr_ready, port_idle;
  logic port_gives, bus_takes, bus_gives;
  logic [PortBits-1:0] port_rd_data, port_wr_data;
  logic [DataBits-1:0] bus_wr_data;
  if (PortBytes == BusBytes) begin : gen_bus
    assign bus_asked     = asked;
    assign port_asked    = rd_req_ready_i;
    assign port_rd_valid = rd_data_valid_i && !rd_error_i;
    assign port_rd_data  = rd_data_i;
    assign port_rd_last  = rd_last_i;
    assign bus_takes     = port_takes;
    assign bus_given     = given;
    assign port_given    = wr_req_ready_i;
    assign bus_gives     = port_gives;
    assign port_wr_ready = wr_data_ready_i && !failed_read;
    assign bus_wr_data   = port_wr_data;
    assign port_idle     = wr_idle_i;
  end else begin : gen_port
    request_t live_asked, live_given;
    always_comb begin
      {live_asked, live_given} = {asked, given};
      live_asked.valid         = live && asked.valid;
      live_given.valid         = live && given.valid;
    end
    narrow_port #(.WideBytes(BusBytes), .NarrowBytes(PortBytes)) u_port (
        .clk_i,
        .rst_ni        (run_n),
        .rd_req_i      (live_asked),
        .rd_req_ready_o(port_asked),
        .rd_valid_o    (port_rd_valid),
        .rd_ready_i    (live && port_takes),
        .rd_data_o     (port_rd_data),
        .rd_last_o     (port_rd_last),
        .wr_req_i      (live_given),
        .wr_req_ready_o(port_given),
        .wr_valid_i    (live && port_gives),
        .wr_ready_o    (port_wr_ready),
        .wr_data_i     (port_wr_data),
        .wr_idle_o     (port_idle),
        .rd_req_o      (bus_asked),
        .rd_req_ready_i,
        .rd_valid_i    (live && rd_data_valid_i && !rd_error_i),
        .rd_ready_o    (bus_takes),
        .rd_data_i,
        .rd_last_i,
        .wr_req_o      (bus_given),
        .wr_req_ready_i,
        .wr_valid_o    (bus_gives),
        .wr_ready_i    (wr_data_ready_i && live && !failed_read),
        .wr_data_o     (bus_wr_data),
        .wr_idle_i
    );
  end

  // Engines 1 and 2 share the narrow side: what it offers, and what it wants of the port.
  request_t narrow_rd_req, narrow_wr_req, port_rd_req, port_wr_req;
  logic narrow_rd_req_ready, narrow_rd_valid, narrow_rd_last, narrow_wr_req_ready, narrow_wr_ready;
  logic [1:0] side;  // engine
  logic narrow_takes, narrow_gives;
  logic [NarrowBits-1:0] narrow_rd_data;
  logic [PortBits-1:0] narrow_wr_data;
  assign side          = scalar ? 2'd1 : 2'd2;
  assign narrow_rd_req = live ? rd_req[side] : '0;
  assign narrow_wr_req = live ? wr_req[side] : '0;
  if (NarrowBytes == PortBytes) begin : gen_same
    assign port_rd_req         = narrow_rd_req;
    assign narrow_rd_req_ready = port_asked;
    assign narrow_rd_valid     = port_rd_valid;
    assign narrow_takes        = rd_ready[side];
    assign narrow_rd_data      = port_rd_data;
    assign narrow_rd_last      = port_rd_last;
    assign port_wr_req         = narrow_wr_req;
    assign narrow_wr_req_ready = port_given;
    assign narrow_gives        = wr_valid[side];
    assign narrow_wr_ready     = port_wr_ready;
    assign narrow_wr_data      = wr_data[side];
    assign wr_idle             = port_idle;
  end else begin : gen_narrow
    logic narrow;
    assign narrow = live && !map;
    narrow_port #(.WideBytes(PortBytes), .NarrowBytes(NarrowBytes)) u_narrow (
        .clk_i,
        .rst_ni        (run_n),
        .rd_req_i      (map ? '0 : narrow_rd_req),
        .rd_req_ready_o(narrow_rd_req_ready),
        .rd_valid_o    (narrow_rd_valid),
        .rd_ready_i    (rd_ready[side]),
        .rd_data_o     (narrow_rd_data),
        .rd_last_o     (narrow_rd_last),
        .wr_req_i      (map ? '0 : narrow_wr_req),
        .wr_req_ready_o(narrow_wr_req_ready),
        .wr_valid_i    (narrow && wr_valid[side]),
        .wr_ready_o    (narrow_wr_ready),
        .wr_data_i     (wr_data[side]),
        .wr_idle_o     (wr_idle),
        .rd_req_o      (port_rd_req),
        .rd_req_ready_i(port_asked),
        .rd_valid_i    (narrow && port_rd_valid),
        .rd_ready_o    (narrow_takes),
        .rd_data_i     (port_rd_data),
        .rd_last_i     (port_rd_last),
        .wr_req_o      (port_wr_req),
        .wr_req_ready_i(port_given),
        .wr_valid_o    (narrow_gives),
        .wr_ready_i    (narrow && port_wr_ready),
        .wr_data_o     (narrow_wr_data),
        .wr_idle_i     (port_idle)
    );
  end

  assign asked           = map ? rd_req[0] : port_rd_req;
  assign given           = map ? wr_req[0] : port_wr_req;
  assign port_takes      = map ? rd_ready[0] : narrow_takes;
  assign port_gives      = map ? wr_valid[0] : narrow_gives;
  assign port_wr_data    = map ? map_wr_data : narrow_wr_data;
  assign failed_read     = live && rd_data_valid_i && rd_error_i;
  assign rd_valid        = mine & {{2{narrow_rd_valid}}, port_rd_valid};
  assign rd_data_ready_o = live && bus_takes && !rd_error_i;
  assign rd_req_valid_o  = live && bus_asked.valid;
  assign rd_req_addr_o   = bus_asked.addr + mem_base_i;
  assign rd_req_bytes_o  = bus_asked.bytes;
  assign rd_req_ready    = mine & {{2{narrow_rd_req_ready}}, port_asked};
  assign wr_req_valid_o  = live && bus_given.valid;
  assign wr_req_addr_o   = bus_given.addr + mem_base_i;
  assign wr_req_bytes_o  = bus_given.bytes;
  assign wr_req_ready    = mine & {{2{narrow_wr_req_ready}}, port_given};
  assign wr_data_valid_o = live && bus_gives && !failed_read;
  assign wr_data_o       = bus_wr_data;
  assign wr_ready        = mine & {{2{narrow_wr_ready}}, port_wr_ready};

  map_engine #(.BusBytes(PortBytes)) u_map (
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
      .rd_data_i     (port_rd_data),
      .rd_last_i     (port_rd_last),
      .wr_req_o      (wr_req[0]),
      .wr_req_ready_i(wr_req_ready[0]),
      .wr_valid_o    (wr_valid[0]),
      .wr_ready_i    (wr_ready[0]),
      .wr_data_o     (map_wr_data),
      .wr_idle_i     (port_idle),
      .lent_o,
      .rounded_i
  );
  scalar_engine #(.BusBytes(NarrowBytes)) u_scalar (
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
      .rd_data_i     (narrow_rd_data),
      .rd_last_i     (narrow_rd_last),
      .wr_req_o      (wr_req[1]),
      .wr_req_ready_i(wr_req_ready[1]),
      .wr_valid_o    (wr_valid[1]),
      .wr_ready_i    (wr_ready[1]),
      .wr_data_o     (wr_data[1]),
      .wr_idle_i     (wr_idle)
  );
  weight_engine #(.BusBytes(NarrowBytes)) u_weight (
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
      .rd_data_i     (narrow_rd_data),
      .rd_last_i     (narrow_rd_last),
      .wr_req_o      (wr_req[2]),
      .wr_req_ready_i(wr_req_ready[2]),
      .wr_valid_o    (wr_valid[2]),
      .wr_ready_i    (wr_ready[2]),
      .wr_data_o     (wr_data[2]),
      .wr_idle_i     (wr_idle)
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
      Settle: if (wr_idle && !wr_error_i) state_q <= Idle;
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
  assign done_o = state_q == Settle && wr_idle && !wr_error_i && run_n;
endmodule
