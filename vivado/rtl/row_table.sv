/// Where the results of each lane's row go: written by the loader (CONV) or for each set of results (WGRAD).
///
/// In a WGRAD lane kx * 16 + ci holds kernel column kx, channel ci: consecutive channels are a result image apart.
module row_table
  import contract_pkg::*;
  import core_pkg::*;
#(
    parameter  int unsigned Lanes    = 16,
    localparam int unsigned LaneBits = $clog2(Lanes),
    localparam int unsigned PlaceBits = $clog2(TableRows * Lanes / 2)
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  plan_t               plan_i,
    input  logic                row_valid_i,      ///< CONV: one lane's row, taken if row_ready_o
    output logic                row_ready_o,
    input  logic [LaneBits-1:0] row_lane_i,
    input  logic [ RowBits-1:0] row_i,
    input  logic                row_live_i,
    input  logic [        31:0] row_address_i,
    input  logic [        31:0] row_element_i,
    input  logic [        31:0] row_sums_i,
    input  logic                set_valid_i,      ///< WGRAD: all lanes, two a cycle
    input  logic [TableBits-1:0] set_row_i,
    input  logic [        31:0] set_address_i,    ///< of lane 0
    input  logic [        31:0] set_element_i,
    input  logic [        31:0] set_sums_i,
    input  logic [         3:0] set_taps_i,       ///< kernel columns that exist
    input  logic [TableBits-1:0] element_row_i,   ///< read: elements of lanes 2 pair, 2 pair + 1, two cycles later
    input  logic [         7:0] element_pair_i,
    output logic [1:0][31:0]    element_o,
    output logic [1:0]          element_live_o,
    input  logic [PlaceBits-1:0] read_place_i,    ///< read: lanes 2 pair and 2 pair + 1 at row * Lanes / 2 + pair,
    output logic [1:0]          read_live_o,      ///< a cycle later, to be registered
    output logic [1:0][31:0]    read_address_o,
    output logic [1:0][31:0]    read_sums_o
);
  localparam int unsigned Pairs = Lanes / 2;
  localparam int unsigned PairBits = LaneBits - 1;

  // The set in progress.
  logic busy_q;
  logic [TableBits-1:0] row_q;
  logic [PairBits-1:0] pair_q;
  logic [31:0] address_q, element_q, sums_q, address_begin_q, element_begin_q, sums_begin_q;
  logic [3:0] taps_q;
  logic [31:0] pixel_bytes;
  assign pixel_bytes = 32'd32 << plan_i.c.out_format;
  assign row_ready_o = !busy_q;

  always_ff @(posedge clk_i) begin
    if (set_valid_i) begin
      busy_q          <= 1'b1;
      row_q           <= set_row_i;
      pair_q          <= '0;
      address_q       <= set_address_i;
      element_q       <= set_element_i;
      sums_q          <= set_sums_i;
      address_begin_q <= set_address_i;
      element_begin_q <= set_element_i;
      sums_begin_q    <= set_sums_i;
      taps_q          <= set_taps_i;
    end else if (busy_q) begin
      pair_q    <= pair_q + 1'b1;
      busy_q    <= pair_q != PairBits'(Pairs - 1);
      address_q <= address_q + {plan_i.c.out_image_stride[30:0], 1'b0};
      element_q <= element_q + {plan_i.image_element[30:0], 1'b0};
      sums_q    <= sums_q + {plan_i.image_sums[30:0], 1'b0};
      if (pair_q[2:0] == 3'd7) begin  // the next kernel column
        address_q       <= address_begin_q + pixel_bytes;
        element_q       <= element_begin_q + 32'd16;
        sums_q          <= sums_begin_q + 32'd4;
        address_begin_q <= address_begin_q + pixel_bytes;
        element_begin_q <= element_begin_q + 32'd16;
        sums_begin_q    <= sums_begin_q + 32'd4;
        taps_q          <= taps_q == '0 ? '0 : taps_q - 4'd1;
      end
    end
    if (!rst_ni) busy_q <= 1'b0;
  end

  for (genvar odd = 0; odd < 2; odd++) begin : gen_parity
    logic live_table_q[TableRows*Pairs];
    logic [31:0] address_table_q[TableRows*Pairs];
    logic [31:0] sums_table_q[TableRows*Pairs];
    logic [32:0] element_table_q[TableRows*Pairs];  // with the row's live bit, which is wanted there, too
    logic write;
    logic [PlaceBits-1:0] place, element_place;
    logic [32:0] element_read_q;
    assign write = busy_q || (row_valid_i && row_lane_i[0] == odd[0]);
    assign place = busy_q ? PlaceBits'(32'(row_q) * Pairs + 32'(pair_q))
                          : PlaceBits'(32'(row_i) * Pairs + 32'(row_lane_i[LaneBits-1:1]));
    assign element_place = PlaceBits'(32'(element_row_i) * Pairs + 32'(element_pair_i));
    always_ff @(posedge clk_i) begin
      if (write) begin
        live_table_q[place]    <= busy_q ? taps_q != '0 : row_live_i;
        address_table_q[place] <= busy_q ? address_q + (odd != 0 ? plan_i.c.out_image_stride : '0) : row_address_i;
        element_table_q[place] <= busy_q ? {1'b1, element_q + (odd != 0 ? plan_i.image_element : '0)}
                                         : {row_live_i, row_element_i};
        sums_table_q[place]    <= busy_q ? sums_q + (odd != 0 ? plan_i.image_sums : '0) : row_sums_i;
      end
      element_read_q <= element_table_q[element_place];
      {element_live_o[odd], element_o[odd]} <= element_read_q;
      read_live_o[odd]    <= live_table_q[read_place_i];
      read_address_o[odd] <= address_table_q[read_place_i];
      read_sums_o[odd]    <= sums_table_q[read_place_i];
    end
  end
  logic unused;
  assign unused = &{1'b0, plan_i};
endmodule
