/// Executes NORM, SCALE, JOIN and ERROR (contract, section 9): programs (scalar_program_pkg) on 16 channels at a time.
///
/// An arithmetic instruction takes 16 cycles, a channel each (scalar_pipe); the next one reads a channel's result 16
/// cycles later, when it is there. Divisions and roots, which come a few cycles apart, and single words are waited for.
/// Records of the next 16 channels are loaded meanwhile, into the other half of the input memory.
module scalar_engine
  import contract_pkg::*;
  import command_pkg::*;
  import vector_pkg::*;
  import scalar_code_pkg::*;
  import scalar_program_pkg::*;
#(
    parameter  int unsigned BusBytes = 8,
    localparam int unsigned DataBits = 8 * BusBytes
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                start_i,         ///< one cycle: a command that has passed vector_check
    input  words_t              words_i,         ///< it; stays until done_o
    input  logic [20:0]         count_i,         ///< images * height * width; stays, too
    output logic                done_o,          ///< one cycle: all is written, or error_o says why not
    output logic [ 7:0]         error_o,         ///< OK, or COEFFICIENTS; valid with done_o
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
  typedef enum logic [3:0] { Idle, Fetch, Fetched, Decode, Vector, Drain, Look, Judge, Load, Store } state_e;
  state_e state_q;

  // The command.
  logic [7:0] bits, wide_bits;
  logic [5:0] flags;
  logic [15:0] channels;
  logic [11:0] blocks_q;
  logic [4:0] rest_q;        // real channels of the last block
  logic history_q;
  assign {wide_bits, bits} = words_i[0][23:8];
  assign flags             = words_i[1][5:0];
  assign channels          = words_i[4][15:0];
  always_ff @(posedge clk_i) begin
    blocks_q <= 12'((17'(channels) + 17'd15) >> 4);
    rest_q   <= {channels[3:0] == '0, channels[3:0]};
  end

  // Instructions.
  logic [ProgramBits-1:0] pc_q, entry;
  instruction_t next, run_q;
  immediate_t immediate;
  transfer_t transfer;
  logic holds, executes;
  scalar_program u_program (.clk_i, .address_i(pc_q), .instruction_o(next));
  assign immediate  = {next.a, next.b};
  assign transfer   = immediate.value[15:0];
  always_comb begin
    unique case (next.condition)
      IfEvaluate: holds = flags[SCALAR_FLAG_EVALUATE];
      IfRelu:     holds = flags[SCALAR_FLAG_RELU];
      IfStream:   holds = flags[SCALAR_FLAG_STREAM];
      IfBranch:   holds = flags[SCALAR_FLAG_BRANCH];
      IfPower:    holds = flags[SCALAR_FLAG_POWER];
      IfSecond:   holds = flags[SCALAR_FLAG_STREAM] || flags[SCALAR_FLAG_BRANCH];
      IfHistory:  holds = history_q;
      default:    holds = 1'b1;
    endcase
    unique case (32'(words_i[0][7:0]))
      OPCODE_NORM: entry = EntryNorm;
      OPCODE_JOIN: entry = EntryJoin;
      OPCODE_ERROR: entry = EntryError;
      default:     entry = flags[SCALAR_FLAG_NODE] ? EntryNode : EntryScale;
    endcase
  end
  assign executes = holds != next.negate;

  logic [63:0] value;   // of an immediate, or a field
  logic [16:0] greatest;
  logic [7:0] width, code_width;
  assign code_width = bits - 8'(!flags[SCALAR_FLAG_RELU]);
  assign greatest   = ~({17{1'b1}} << code_width[4:0]);
  assign width      = wide_bits - 8'(!flags[SCALAR_FLAG_RELU]);
  always_comb begin
    value = {16'd0, immediate.channels ? {blocks_q, 4'd0} : 16'd0, immediate.value};
    if (next.op == OpField) begin
      unique case (field_e'(immediate.value[2:0]))
        FieldCount:    value = 64'(count_i);
        FieldLess:     value = 64'(count_i - 21'd1);
        FieldShift:    value = 64'(words_i[0][31:24]);
        FieldShift1:   value = 64'(words_i[1][23:16]);
        FieldWidth:    value = 64'(width);
        FieldGreatest: value = 64'(greatest);
        default:       value = width == 8'd16 ? 64'd29 : 64'd30;
      endcase
    end
  end

  // Blocks of 16 channels: the one at hand and the next one to be loaded.
  logic [11:0] block_q, next_q;
  logic half_q, all_q, is_load;
  logic [4:0] active_q;
  logic [31:0] address_q;
  logic [27:0] records;
  assign is_load = next.op == OpLoad;
  assign records = 28'(is_load ? next_q : block_q) << 4;
  always_ff @(posedge clk_i) begin
    address_q <= words_i[5'(FirstPlace)+5'(transfer.place)]
        + (transfer.header ? '0 : 32'd64 + (32'(records) << transfer.log));
  end

  // The two memories.
  logic load_ready, load_busy, load_write, store_busy, store_empty, start_store;
  logic pipe_busy, pipe_valid, quiet, set, looks;
  logic [AddressBits-1:0] load_address, pipe_d, store_read;
  logic [AddressBits-1:0] a_address, b_address, a_input, b_input, a_work;
  logic [63:0] load_word, pipe_word, input_a, input_b, work_a, work_b;
  logic [3:0] lane_q;
  assign looks     = state_q inside {Look, Judge};
  assign a_address = run_q.a.address | (run_q.a.by_lane ? AddressBits'(lane_q) : '0);
  assign b_address = run_q.b.address | (run_q.b.by_lane ? AddressBits'(lane_q) : '0);
  assign a_input   = looks ? {half_q, run_q.d[AddressBits-2:0]} : {half_q, a_address[AddressBits-2:0]};
  assign b_input   = {half_q, b_address[AddressBits-2:0]};
  assign a_work    = store_busy ? store_read : a_address;
  scalar_memory u_input (
      .clk_i,
      .write_i        (load_write),
      .write_address_i(load_address),
      .word_i         (load_word),
      .a_address_i    (a_input),
      .b_address_i    (b_input),
      .a_o            (input_a),
      .b_o            (input_b)
  );
  scalar_memory u_work (
      .clk_i,
      .write_i        (pipe_valid || set),
      .write_address_i(set ? next.d : pipe_d),
      .word_i         (set ? value : pipe_word),
      .a_address_i    (a_work),
      .b_address_i    (b_address),
      .a_o            (work_a),
      .b_o            (work_b)
  );

  // Elements: those issued, whose words are on their way, and the pipeline.
  logic issue;
  tag_t tag, tag1_q, tag2_q;
  source_t a1_q, a2_q, b1_q, b2_q;
  logic [4:0] wait_q;   // cycles until the next element
  assign issue = state_q == Vector && wait_q == '0;
  assign tag   = '{valid: issue, write: run_q.lanes == '0 || 5'(lane_q) < active_q, op: run_q.op,
                   d: run_q.d | AddressBits'(lane_q), lane: lane_q};
  always_ff @(posedge clk_i) begin
    {tag1_q, a1_q, b1_q} <= {tag, run_q.a, run_q.b};
    {tag2_q, a2_q, b2_q} <= {tag1_q, a1_q, b1_q};
    if (!rst_ni) {tag1_q.valid, tag2_q.valid} <= '0;
  end
  scalar_pipe u_pipe (
      .clk_i,
      .rst_ni,
      .tag_i     (tag2_q),
      .a_word_i  (a2_q.loaded ? input_a : work_a),
      .b_word_i  (b2_q.loaded ? input_b : work_b),
      .a_source_i(a2_q),
      .b_source_i(b2_q),
      .busy_o    (pipe_busy),
      .valid_o   (pipe_valid),
      .word_o    (pipe_word),
      .d_o       (pipe_d)
  );
  assign quiet = !tag1_q.valid && !tag2_q.valid && !pipe_busy;
  assign set   = state_q == Decode && executes && quiet && next.op inside {OpSet, OpField};

  scalar_load #(.BusBytes(BusBytes)) u_load (
      .clk_i,
      .rst_ni,
      .valid_i        (state_q == Load),
      .ready_o        (load_ready),
      .transfer_i     (transfer),
      .address_i      (address_q),
      .to_i           ({!half_q, next.d[AddressBits-2:0]}),
      .busy_o         (load_busy),
      .rd_req_o,
      .rd_req_ready_i,
      .rd_valid_i,
      .rd_ready_o,
      .rd_data_i,
      .write_o        (load_write),
      .write_address_o(load_address),
      .word_o         (load_word)
  );
  scalar_store #(.BusBytes(BusBytes)) u_store (
      .clk_i,
      .rst_ni,
      .start_i       (start_store),
      .transfer_i    (transfer),
      .address_i     (address_q),
      .from_i        (next.d),
      .active_i      (active_q),
      .busy_o        (store_busy),
      .empty_o       (store_empty),
      .read_address_o(store_read),
      .word_i        (work_a),
      .wr_req_o,
      .wr_req_ready_i,
      .wr_valid_o,
      .wr_ready_i,
      .wr_data_o
  );

  logic last_lane, equal_q, fails, ends;
  logic [1:0] look_q;
  assign last_lane   = 5'(lane_q) + 5'd1 == 5'd1 << run_q.lanes;
  assign start_store = state_q == Store && !store_busy && look_q == '0;
  assign fails       = state_q == Judge && look_q == 2'd2 && !equal_q && next.op != OpHistory;
  assign ends        = state_q == Decode && next.op == OpEnd && store_empty;
  assign done_o      = fails || ends;
  assign error_o     = fails ? 8'(ERROR_COEFFICIENTS) : 8'(ERROR_OK);

  // When an instruction is done with, or left out, the next one is fetched; arithmetic fetches it meanwhile.
  logic onwards, left;
  assign left = next_q < blocks_q;
  always_comb begin
    onwards = 1'b0;
    unique case (state_q)
      Decode:
      if (!executes) onwards = 1'b1;
      else begin
        unique case (next.op)
          OpSet, OpField: onwards = quiet;
          OpFirst:        onwards = 1'b1;
          OpTurn:         onwards = quiet && !load_busy;
          OpLoop:         onwards = quiet && !left;
          OpLoad:         onwards = !left && !transfer.header;
          OpFence:        onwards = store_empty && wr_idle_i;
          default: ;
        endcase
      end
      Judge: onwards = look_q == 2'd2 && !fails;
      Load:  onwards = load_ready;
      Store: onwards = look_q != '0 && !store_busy;
      default: ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        history_q <= 1'b1;
        active_q  <= 5'd16;
        half_q    <= 1'b0;
        pc_q      <= entry;
        if (start_i) state_q <= Fetch;
      end
      Fetch: state_q <= Fetched;
      Fetched: state_q <= Decode;
      Decode: begin
        lane_q <= '0;
        wait_q <= '0;
        look_q <= '0;
        run_q  <= next;
        if (executes) begin
          unique case (next.op)
            OpEnd: if (store_empty) state_q <= Idle;
            OpCheck, OpCount, OpHistory: state_q <= Look;
            OpFirst: {next_q, all_q} <= {12'd0, next.d[0]};
            OpTurn:
            if (onwards) begin
              half_q   <= !half_q;
              block_q  <= next_q;
              next_q   <= next_q + 12'd1;
              active_q <= next_q + 12'd1 == blocks_q && !all_q ? rest_q : 5'd16;
            end
            OpLoop: begin
              if (onwards) active_q <= 5'd16;
              if (left) begin
                pc_q    <= next.d;
                state_q <= Fetch;
              end
            end
            OpLoad: state_q <= Load;
            OpStore: if (quiet) state_q <= Store;
            OpSet, OpField, OpFence: ;
            default: begin  // arithmetic
              pc_q    <= pc_q + 1'b1;
              state_q <= Vector;
            end
          endcase
        end
      end
      Vector:
      if (wait_q != '0) wait_q <= wait_q - 5'd1;
      else if (!last_lane) begin
        wait_q <= run_q.op == OpDiv ? 5'(DivideEvery - 1) : run_q.op == OpRoot ? 5'(RootEvery - 1) : 5'd0;
        lane_q <= lane_q + 4'd1;
      end else begin
        lane_q <= '0;
        run_q  <= next;
        if (run_q.op inside {OpDiv, OpRoot} || run_q.lanes != 3'd4) state_q <= Drain;
        else if (next.op[5] && executes) pc_q <= pc_q + 1'b1;
        else state_q <= Decode;
      end
      Drain: if (quiet) state_q <= Decode;
      Look: begin
        look_q <= look_q == 2'd2 ? '0 : look_q + 2'd1;
        if (look_q == 2'd2) state_q <= Judge;
      end
      Judge: begin
        look_q  <= look_q + 2'd1;
        equal_q <= next.op == OpCount ? input_a[31:0] == 32'(count_i) : input_a == value;
        if (look_q == 2'd2 && next.op == OpHistory && !equal_q) history_q <= 1'b0;
        if (fails) state_q <= Idle;
      end
      Store: look_q <= 2'd1;
      default: ;  // Load
    endcase
    if (onwards) begin
      pc_q    <= pc_q + 1'b1;
      state_q <= Fetch;
    end
    if (!rst_ni) state_q <= Idle;
  end

  logic unused;
  assign unused = &{1'b0, words_i, rd_last_i, immediate.unused, run_q.negate, run_q.condition,
                    code_width[7:5]};
endmodule
