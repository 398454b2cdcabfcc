/// Runs a command list: fetches, checks, hands commands to the core, and ends the list as the contract's section 12
/// says.
///
/// The core has at most two commands: one that runs and the next, which it may plan and load, but not compute before
/// cmd_done_i. So an error that it reports is always that of the older one. A command of the vector unit runs alone;
/// the next one is fetched and checked meanwhile.
module list_runner
  import contract_pkg::*;
  import command_pkg::*;
  import vector_pkg::*;
#(
    parameter  build_t      Build   = BUILD_TINY,          ///< the build
    parameter  bit          VectorUnit = 1'b0,             ///< there is one
    localparam int unsigned DataBits = 8 * Build.bus_bytes
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                soft_reset_i,     ///< stop at once; done_o is not raised for the list that runs
    input  logic                start_i,          ///< held until done_o; the arguments must be there
    input  logic [        63:0] mem_base_i,
    input  logic [        31:0] mem_bytes_i,
    input  logic [        31:0] list_offset_i,
    input  logic [        31:0] list_bytes_i,
    output logic                draining_o,       ///< stopped by a reset, but not idle yet
    output logic                begin_o,          ///< one cycle: a list was taken
    output logic                done_o,           ///< one cycle: the list has ended, the results are valid
    output logic [         7:0] status_o,
    output logic [        31:0] error_index_o,
    output logic [        31:0] commands_done_o,
    output logic [        31:0] mem_base_o,       ///< bus address of the region of the list that runs
    output logic                cmd_valid_o,
    input  logic                cmd_ready_i,
    output decoded_t            cmd_o,            ///< stays until it is taken
    input  logic                cmd_done_i,       ///< the oldest command's results are all in memory
    input  logic                load_error_i,     ///< a read of the oldest command failed; it stores no more
    input  logic                store_error_i,    ///< a write of the oldest command failed
    output logic                vector_valid_o,   ///< a command of the vector unit; all before it are complete
    input  logic                vector_ready_i,
    output words_t              vector_words_o,   ///< it stays until it is taken
    output logic [        20:0] vector_count_o,
    input  logic                vector_done_i,    ///< its results are all in memory
    input  logic [         7:0] vector_error_i,   ///< not OK: it has failed
    output logic                flush_o,          ///< drop all work, let AXI drain; held until core_idle_i
    input  logic                core_idle_i,
    output logic                ar_valid_o,
    input  logic                ar_ready_i,
    output logic [        31:0] ar_addr_o,
    output logic [         7:0] ar_len_o,
    input  logic                r_valid_i,
    output logic                r_ready_o,
    input  logic [DataBits-1:0] r_data_i,
    input  logic [         1:0] r_resp_i
);
  typedef enum logic [3:0] {
    Idle, CheckList, Fetch, FetchWait, Check, CheckWait, Offer, Drain, Flush, Done
  } state_e;

  localparam logic [1:0] MaxUnfinished = 2'd2;

  state_e      state_q;
  logic [31:0] mem_base_q, mem_bytes_q, list_begin_q, list_end_q;
  logic [31:0] next_q;                       // offset of the command to fetch
  logic [ 7:0] verdict_q;                    // why the list ends
  logic        silent_q;                     // it was stopped by a reset
  logic [ 1:0] flush_cycles_q;

  logic [1:0] unfinished_q;                  // commands that the core has
  logic       take, running;

  logic       vector, vector_q;              // the command to hand over is the vector unit's; so is the one that runs

  assign take    = (cmd_valid_o && cmd_ready_i) || (vector_valid_o && vector_ready_i);
  assign running = state_q >= Fetch && state_q <= Drain;

  logic   fetch_idle, fetch_reserved, fetch_error, check_done, matrix_done, vector_done;
  logic [7:0] list_error, list_error_q, check_error, matrix_error, vector_error;
  words_t words;

  list_check u_list_check (
      .mem_base_i,
      .mem_bytes_i,
      .list_offset_i,
      .list_bytes_i,
      .error_o(list_error)
  );

  command_fetch #(.BusBytes(Build.bus_bytes)) u_fetch (
      .clk_i,
      .rst_ni,
      .start_i   (state_q == Fetch && next_q != list_end_q),
      .addr_i    (mem_base_q + next_q),
      .idle_o    (fetch_idle),
      .words_o   (words),
      .reserved_o(fetch_reserved),
      .error_o   (fetch_error),
      .ar_valid_o,
      .ar_ready_i,
      .ar_addr_o,
      .ar_len_o,
      .r_valid_i,
      .r_ready_o,
      .r_data_i,
      .r_resp_i
  );

  command_check #(.Build(Build), .VectorUnit(VectorUnit)) u_check (
      .clk_i,
      .rst_ni,
      .clear_i     (flush_o),
      .start_i     (state_q == Check && !vector),
      .words_i     (words),
      .reserved_i  (fetch_reserved),
      .mem_bytes_i (mem_bytes_q),
      .list_begin_i(list_begin_q),
      .list_end_i  (list_end_q),
      .done_o      (matrix_done),
      .error_o     (matrix_error),
      .decoded_o   (cmd_o)
  );

  if (VectorUnit) begin : gen_vector
    assign vector = family_of(words[0][7:0]) != FamilyNone;
    vector_check u_vector_check (
        .clk_i,
        .rst_ni,
        .clear_i     (flush_o),
        .start_i     (state_q == Check && vector),
        .words_i     (words),
        .reserved_i  (fetch_reserved),
        .mem_bytes_i (mem_bytes_q),
        .list_begin_i(list_begin_q),
        .list_end_i  (list_end_q),
        .done_o      (vector_done),
        .error_o     (vector_error),
        .count_o     (vector_count_o)
    );
  end else begin : gen_matrix
    assign {vector, vector_done, vector_error, vector_count_o} = '0;
  end
  assign vector_words_o = words;
  assign check_done     = matrix_done || vector_done;
  assign check_error    = vector ? vector_error : matrix_error;

  assign begin_o     = state_q == Idle && start_i && !soft_reset_i;
  assign done_o      = state_q == Done && !soft_reset_i;
  assign cmd_valid_o = state_q == Offer && unfinished_q != MaxUnfinished && !vector
                       && !(vector_q && unfinished_q != '0);
  assign vector_valid_o = state_q == Offer && unfinished_q == '0 && vector;
  assign flush_o     = state_q == Flush;
  assign draining_o  = state_q == Flush && silent_q;
  assign mem_base_o  = mem_base_q;

  // Its registers are written some cycles before the start.
  always_ff @(posedge clk_i) list_error_q <= list_error;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        silent_q <= 1'b0;
        if (start_i && !soft_reset_i) begin
          mem_base_q   <= mem_base_i[31:0];
          mem_bytes_q  <= mem_bytes_i;
          list_begin_q <= list_offset_i;
          list_end_q   <= list_offset_i + list_bytes_i;
          next_q       <= list_offset_i;
          verdict_q    <= list_error_q;
          state_q      <= CheckList;
        end
      end
      CheckList: state_q <= verdict_q == 8'(ERROR_OK) ? Fetch : Done;
      Fetch: state_q <= next_q == list_end_q ? Drain : FetchWait;
      FetchWait:
      if (fetch_idle) begin
        if (fetch_error) verdict_q <= 8'(ERROR_READ_BUS);
        state_q <= fetch_error ? Drain : Check;
      end
      Check: state_q <= CheckWait;
      CheckWait:
      if (check_done) begin
        verdict_q <= check_error;
        state_q   <= check_error == 8'(ERROR_OK) ? Offer : Drain;
      end
      Offer:
      if (take) begin
        next_q  <= next_q + COMMAND_BYTES;
        state_q <= Fetch;
      end
      Drain: if (unfinished_q == '0) state_q <= Done;
      Flush: begin
        if (flush_cycles_q != '1) flush_cycles_q <= flush_cycles_q + 2'd1;
        else if (core_idle_i && fetch_idle) state_q <= silent_q ? Idle : Done;
      end
      default: state_q <= Idle;   // Done
    endcase
    if (state_q != Flush) flush_cycles_q <= '0;
    // A command that failed is the first that is not completed; those after it do not count.
    if (running && (load_error_i || store_error_i)) begin
      verdict_q <= load_error_i ? 8'(ERROR_READ_BUS) : 8'(ERROR_WRITE_BUS);
      state_q   <= Flush;
    end
    if (running && vector_error_i != 8'(ERROR_OK)) begin
      verdict_q <= vector_error_i;
      state_q   <= Flush;
    end
    if (soft_reset_i && state_q != Idle) begin
      silent_q <= 1'b1;
      state_q  <= Flush;
    end
    if (!rst_ni) state_q <= Idle;
  end

  // Results. Commands completed are also the index of the first that is not.
  assign status_o = verdict_q;
  assign error_index_o = (verdict_q == 8'(ERROR_OK) || verdict_q < 8'(ERROR_OPCODE)) ? NO_COMMAND : commands_done_o;

  always_ff @(posedge clk_i) begin
    if ((cmd_done_i || vector_done_i) && running) commands_done_o <= commands_done_o + 32'd1;
    if (take) vector_q <= vector;
    if (!rst_ni || begin_o || flush_o) unfinished_q <= '0;
    else unfinished_q <= unfinished_q + 2'(take) - 2'(cmd_done_i || vector_done_i);
    if (!rst_ni || begin_o) commands_done_o <= '0;
  end

  if (!legal(Build)) begin : gen_bad_build
    $error("list_runner: Build is not a legal build (contract, section 14)");
  end
endmodule
