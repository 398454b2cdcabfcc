/// The AXI4-Lite register file: Vitis' handshake and interrupt registers, the list's arguments, results and the build.
///
/// One write and one read at a time. Writes without all four strobes do nothing.
module control_registers
  import contract_pkg::*;
#(
    parameter build_t Build      = BUILD_TINY,  ///< the build, shown in the capability registers
    parameter bit     VectorUnit = 1'b0         ///< there is one, shown in FEATURES
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    output logic        interrupt_o,
    output logic        soft_reset_o,     ///< one cycle: SW_RESET was written
    output logic        start_o,          ///< from START to done_i
    output logic [63:0] mem_base_o,
    output logic [31:0] mem_bytes_o,
    output logic [31:0] list_offset_o,
    output logic [31:0] list_bytes_o,
    input  logic        draining_i,       ///< transfers that a soft reset stopped are not complete yet
    input  logic        done_i,           ///< one cycle: the list has ended, the results are valid
    input  logic [ 7:0] status_i,
    input  logic [31:0] error_index_i,
    input  logic [31:0] commands_done_i,
    input  logic [63:0] counters_i[4],    ///< total, busy, load stall, store stall
    input  logic [11:0] aw_addr_i,
    input  logic        aw_valid_i,
    output logic        aw_ready_o,
    input  logic [31:0] w_data_i,
    input  logic [ 3:0] w_strb_i,
    input  logic        w_valid_i,
    output logic        w_ready_o,
    output logic        b_valid_o,
    input  logic        b_ready_i,
    input  logic [11:0] ar_addr_i,
    input  logic        ar_valid_i,
    output logic        ar_ready_o,
    output logic [31:0] r_data_o,
    output logic        r_valid_o,
    input  logic        r_ready_i
);
  logic        done_q, ready_q, gier_q;
  logic [ 1:0] ier_q, isr_q;
  logic [ 7:0] status_q;
  logic [31:0] error_index_q, commands_done_q;
  logic [63:0] counters_q[4];

  logic write, read;
  logic [31:0] write_at, read_at;   // offsets of words
  assign aw_ready_o   = aw_valid_i && w_valid_i && !b_valid_o;
  assign w_ready_o    = aw_ready_o;
  assign ar_ready_o   = !r_valid_o;
  assign write        = aw_ready_o && &w_strb_i;
  assign read         = ar_valid_i && ar_ready_o;
  assign write_at     = {20'd0, aw_addr_i[11:2], 2'd0};
  assign read_at      = {20'd0, ar_addr_i[11:2], 2'd0};
  assign soft_reset_o = write && write_at == REGISTER_AP_CTRL && w_data_i[AP_CTRL_SW_RESET[4:0]];
  assign interrupt_o  = gier_q && isr_q != '0;

  always_ff @(posedge clk_i) begin
    if (b_ready_i) b_valid_o <= 1'b0;
    if (aw_ready_o) b_valid_o <= 1'b1;
    if (r_ready_i) r_valid_o <= 1'b0;
    if (read) r_valid_o <= 1'b1;
    if (!rst_ni) {b_valid_o, r_valid_o} <= '0;
  end

  always_ff @(posedge clk_i) begin
    // Done and ready are cleared by being read, unless they are raised in the same cycle.
    if (read && read_at == REGISTER_AP_CTRL) {done_q, ready_q} <= '0;
    if (write) begin
      unique case (write_at)
        REGISTER_AP_CTRL:         if (w_data_i[AP_CTRL_START[4:0]]) start_o <= 1'b1;
        REGISTER_GIER:            gier_q <= w_data_i[0];
        REGISTER_IER:             ier_q <= w_data_i[1:0];
        REGISTER_ISR:             isr_q <= isr_q ^ w_data_i[1:0];
        REGISTER_MEM_BASE:        mem_base_o[31:0] <= w_data_i;
        REGISTER_MEM_BASE + 32'd4: mem_base_o[63:32] <= w_data_i;
        REGISTER_MEM_BYTES:       mem_bytes_o <= w_data_i;
        REGISTER_LIST_OFFSET:     list_offset_o <= w_data_i;
        REGISTER_LIST_BYTES:      list_bytes_o <= w_data_i;
        default: ;
      endcase
    end
    if (done_i) begin
      start_o           <= 1'b0;
      {done_q, ready_q} <= '1;
      isr_q             <= isr_q | ier_q;
      status_q          <= status_i;
      error_index_q     <= error_index_i;
      commands_done_q   <= commands_done_i;
      counters_q        <= counters_i;
    end
    if (!rst_ni || soft_reset_o) begin
      {start_o, done_q, ready_q, gier_q, ier_q, isr_q} <= '0;
      {mem_base_o, mem_bytes_o, list_offset_o, list_bytes_o} <= '0;
      {status_q, error_index_q, commands_done_q} <= '0;
      for (int i = 0; i < 4; i++) counters_q[i] <= '0;
    end
  end

  logic [31:0] control, shown;
  always_comb begin
    control = '0;
    control[AP_CTRL_START[4:0]]     = start_o;
    control[AP_CTRL_DONE[4:0]]      = done_q;
    control[AP_CTRL_IDLE[4:0]]      = !start_o && !draining_i;
    control[AP_CTRL_READY[4:0]]     = ready_q;
    control[AP_CTRL_INTERRUPT[4:0]] = interrupt_o;
    unique case (read_at)
      REGISTER_AP_CTRL:                    shown = control;
      REGISTER_GIER:                       shown = {31'd0, gier_q};
      REGISTER_IER:                        shown = {30'd0, ier_q};
      REGISTER_ISR:                        shown = {30'd0, isr_q};
      REGISTER_MEM_BASE:                   shown = mem_base_o[31:0];
      REGISTER_MEM_BASE + 32'd4:           shown = mem_base_o[63:32];
      REGISTER_MEM_BYTES:                  shown = mem_bytes_o;
      REGISTER_LIST_OFFSET:                shown = list_offset_o;
      REGISTER_LIST_BYTES:                 shown = list_bytes_o;
      REGISTER_STATUS:                     shown = {24'd0, status_q};
      REGISTER_ERROR_INDEX:                shown = error_index_q;
      REGISTER_COMMANDS_DONE:              shown = commands_done_q;
      REGISTER_CYCLES_TOTAL:               shown = counters_q[0][31:0];
      REGISTER_CYCLES_TOTAL + 32'd4:       shown = counters_q[0][63:32];
      REGISTER_CYCLES_BUSY:                shown = counters_q[1][31:0];
      REGISTER_CYCLES_BUSY + 32'd4:        shown = counters_q[1][63:32];
      REGISTER_CYCLES_LOAD_STALL:          shown = counters_q[2][31:0];
      REGISTER_CYCLES_LOAD_STALL + 32'd4:  shown = counters_q[2][63:32];
      REGISTER_CYCLES_STORE_STALL:         shown = counters_q[3][31:0];
      REGISTER_CYCLES_STORE_STALL + 32'd4: shown = counters_q[3][63:32];
      REGISTER_MAGIC:                      shown = VERSION_MAGIC;
      REGISTER_VERSION:                    shown = VERSION_MAJOR << 16 | VERSION_MINOR;
      REGISTER_LANES:                      shown = Build.lanes;
      REGISTER_COLUMNS:                    shown = Build.columns;
      REGISTER_SLICE_GROUPS:               shown = Build.slice_groups;
      REGISTER_LANE_WORDS:                 shown = Build.lane_words;
      REGISTER_COLUMN_WORDS:               shown = Build.column_words;
      REGISTER_ROW_WORDS:                  shown = Build.row_words;
      REGISTER_BUS_BYTES:                  shown = Build.bus_bytes;
      REGISTER_FEATURES:                   shown = 32'(VectorUnit) << FEATURE_VECTOR_UNIT;
      default:                             shown = '0;
    endcase
  end

  always_ff @(posedge clk_i) if (read) r_data_o <= shown;

  logic unused;
  assign unused = &{1'b0, aw_addr_i[1:0], ar_addr_i[1:0]};
endmodule
