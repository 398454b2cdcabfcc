/// Walks over the tensors that a MAP reads, or over those that it writes: block by block, image by image, strip by
/// strip, and says what to ask memory for.
///
/// A block begins with its coefficients (reads) or ends with its tally (writes). A request of whole rows has all planes
/// of a strip; of a part of a row, one. Addresses are taken over before the start, one tensor after the other.
module map_walker
  import contract_pkg::*;
  import map_pkg::*;
#(
    parameter int unsigned Lanes  = 32,    ///< of a strip, a power of two up to 64
    parameter int unsigned Pixels = 1,     ///< that lie in the banks of a plane's place
    parameter bit          Writes = 1'b0
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  start_i,
    input  map_t                  map_i,          ///< like tensors_i there four cycles before, and stays until done_o
    input  tensor_t [Tensors-1:0] tensors_i,
    input  logic                  room_i,         ///< another strip may begin
    output logic                  strip_valid_o,  ///< one cycle: it begins
    output strip_t                strip_o,
    output logic                  item_valid_o,
    input  logic                  item_ready_i,
    output item_t                 item_o,
    output logic                  done_o          ///< nothing is left to ask for
);
  localparam int unsigned LaneBits = $clog2(Lanes);
  localparam logic [2:0] OwnPitch = 3'($clog2(Pixels));

  typedef enum logic [2:0] { Idle, Head, Block, Strip, Size, Ask, Advance, Tally } state_e;
  state_e state_q;
  logic [11:0] block_q, row_q, column_q, left;
  logic [15:0] image_q;
  logic [ 1:0] tensor_q;
  logic [ 3:0] plane_q;
  strip_t strip_q;
  logic any, last_block, last_image, last_row, last_column, row_end;
  logic [Tensors-1:0] used, later;
  for (genvar t = 0; t < Tensors; t++) begin : gen_used
    assign used[t] = tensors_i[t].used;
  end
  assign later      = used & (4'b1110 << tensor_q);
  assign any        = used != '0;
  assign last_block = block_q == map_i.blocks - 12'd1;
  assign last_image = image_q == map_i.images - 16'd1;

  // The strip at hand.
  logic [12:0] next_row, next_column;
  logic [6:0] step;  // rows
  assign step        = map_i.whole ? 7'(Lanes) >> map_i.pitch : 7'd1;
  assign left        = map_i.whole ? map_i.height - row_q : map_i.width - column_q;
  assign next_row    = 13'(row_q) + 13'(step);
  assign next_column = 13'(column_q) + 13'(Lanes);
  assign last_row    = next_row >= 13'(map_i.height);
  assign last_column = map_i.whole || next_column >= 13'(map_i.width);
  always_comb begin
    strip_o.rows      = map_i.whole && 12'(step) > left ? left[6:0] : step;
    strip_o.words     = map_i.whole ? map_i.width[6:0] : 12'(Lanes) > left ? left[6:0] : 7'(Lanes);
    strip_o.tile_end  = last_row && last_column;
    strip_o.block_end = strip_o.tile_end && last_image;
  end
  assign strip_valid_o = state_q == Strip && room_i;

  // The tensor at hand: where its block, its image and its strip begin.
  tensor_t tensor;
  (* ram_style = "distributed" *) logic [31:0] blocks_q[Tensors], images_q[Tensors], strips_q[Tensors];
  logic [31:0] addr_q, behind, next, next_strip;
  logic moves, to_block, to_image;
  logic [17:0] bytes_q;
  logic single, split, more;  // single: the one pixel of x0; more: planes follow
  assign tensor     = tensors_i[tensor_q];
  assign single     = !Writes && map_i.broadcast && tensor_q == '0;
  assign split      = !map_i.whole && !single;
  assign more       = split && 5'(plane_q) != tensor.bits - 5'd1;
  assign behind     = addr_q + 32'(bytes_q);
  assign row_end    = last_column;
  assign moves      = state_q == Ask && item_ready_i && !more;
  assign to_block   = state_q == Idle || (moves && strip_q.block_end);
  assign to_image   = to_block || (moves && strip_q.tile_end);
  assign next       = state_q == Idle ? tensor.addr
                      : (strip_q.block_end ? blocks_q[tensor_q] : images_q[tensor_q])
                      + (strip_q.block_end ? tensor.tile : tensor.image);
  assign next_strip = to_image ? next : row_end ? behind : strips_q[tensor_q] + 32'(2 * Lanes);
  always_ff @(posedge clk_i) begin
    if (to_block) blocks_q[tensor_q] <= next;
    if (to_image) images_q[tensor_q] <= next;
    if (to_image || (moves && !single)) strips_q[tensor_q] <= next_strip;
  end

  always_comb begin
    item_o        = '0;
    item_o.kind   = Planes;
    item_o.addr   = addr_q;
    item_o.bytes  = bytes_q;
    item_o.tensor = tensor_q;
    item_o.rows   = strip_q.rows;
    item_o.words  = strip_q.words;
    item_o.bits   = split ? 5'd1 : tensor.bits;
    item_o.plane  = plane_q;
    item_o.pitch  = map_i.pitch;
    item_o.gather = map_i.gather;
    item_o.fresh  = split;
    item_o.last   = later == '0 && !more;
    if (single) {item_o.rows, item_o.words, item_o.pitch, item_o.gather} = {7'd1, 7'd1, OwnPitch, 3'd0};
    // The one plane of a mask, if its rows leave no gaps, is one long row.
    if (tensor_q == 2'(MaskTensor) && map_i.exact) begin
      {item_o.rows, item_o.words} = {7'd1, bytes_q[7:1]};
      {item_o.pitch, item_o.gather} = {3'(LaneBits), 3'd0};
    end
    unique case (state_q)
      Head: begin
        {item_o.kind, item_o.addr, item_o.bytes} = {Header, map_i.tally, 18'(TENSOR_ALIGNMENT)};
      end
      Block, Tally: begin
        item_o.kind  = Records;
        item_o.addr  = (Writes ? map_i.tally : map_i.coefficients) + TENSOR_ALIGNMENT + {11'd0, block_q, 9'd0};
        item_o.bytes = 18'd512;
      end
      default: ;
    endcase
  end
  assign item_valid_o = state_q inside {Head, Ask, Tally} || (state_q == Block && !Writes);
  assign done_o       = state_q == Idle && !start_i;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        {block_q, image_q, row_q, column_q} <= '0;
        tensor_q <= tensor_q + 2'd1;
        if (start_i) state_q <= Writes && map_i.sums ? Head : Block;
      end
      Head:  if (item_ready_i) state_q <= Block;
      Block: if (Writes) state_q <= any ? Strip : Tally;
             else if (item_ready_i) state_q <= Strip;
      Strip: if (room_i) begin
        strip_q  <= strip_o;
        tensor_q <= '0;
        state_q  <= Size;
      end
      Size: begin
        addr_q  <= strips_q[tensor_q];
        bytes_q <= split ? 18'({strip_q.words, 1'b0}) : single ? tensor.row : 18'(tensor.row[11:0] * 12'(strip_q.rows));
        plane_q <= '0;
        if (used[tensor_q]) state_q <= Ask;
        else if (later == '0) state_q <= Advance;
        else tensor_q <= tensor_q + 2'd1;
      end
      Ask: if (item_ready_i) begin
        addr_q  <= addr_q + {19'd0, map_i.width, 1'b0};
        plane_q <= plane_q + 4'd1;
        if (!more) begin
          tensor_q <= tensor_q + 2'd1;
          state_q  <= later == '0 ? Advance : Size;
        end
      end
      Advance: begin
        column_q <= last_column ? '0 : next_column[11:0];
        if (last_column) row_q <= last_row ? '0 : next_row[11:0];
        if (strip_q.tile_end) image_q <= last_image ? '0 : image_q + 16'd1;
        state_q <= Strip;
        if (strip_q.block_end) begin
          if (Writes && map_i.sums) begin
            state_q <= Tally;
          end else begin
            block_q <= block_q + 12'd1;
            state_q <= last_block ? Idle : Block;
          end
        end
      end
      default: if (item_ready_i) begin  // Tally
        block_q <= block_q + 12'd1;
        state_q <= last_block ? Idle : Block;
      end
    endcase
    if (!rst_ni) state_q <= Idle;
  end

  logic unused;
  assign unused = &{1'b0, map_i, tensor};

  if (2 ** LaneBits != Lanes || Lanes > 64) begin : gen_bad
    $error("map_walker: Lanes is not a power of two up to 64");
  end
endmodule
