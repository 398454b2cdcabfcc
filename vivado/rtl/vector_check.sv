/// Decides whether a command from MAP on is legal (contract, section 11), up to OVERLAP.
///
/// What single fields say is judged by the family's own module (map_fields, scalar_fields, weight_fields), which also
/// says what lies at each of the command's addresses. Sizes, ALIGNMENT, RANGE and OVERLAP are judged here for all, with
/// one multiplier: some 300 cycles at most.
module vector_check
  import contract_pkg::*;
  import command_pkg::*;
  import vector_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        clear_i,       ///< abort
    input  logic        start_i,       ///< judge words_i, which must stay until done_o
    input  words_t      words_i,
    input  logic        reserved_i,    ///< a bit of a word that holds no field of any command is set
    input  logic [31:0] mem_bytes_i,   ///< size of the region
    input  logic [31:0] list_begin_i,  ///< where the list lies in it
    input  logic [31:0] list_end_i,
    output logic        done_o,        ///< one cycle: error_o and count_o are valid from now on
    output logic [ 7:0] error_o,       ///< the first check that fails, or OK
    output logic [20:0] count_o        ///< images * height * width, of MAP and scalar commands
);
  typedef enum logic [3:0] { Idle, Fields, Pixels, Count, Align, Area, Image, All, Mine, Overlap } state_e;

  localparam logic [3:0] LastPlace = 4'(Places - 1);

  state_e      state_q;
  logic [ 1:0] phase_q;
  logic [ 3:0] index_q, other_q;
  family_e     family;
  assign family = family_of(words_i[0][7:0]);

  // The families.
  logic map_done, scalar_done, weight_done, fields_done;
  logic [7:0] map_error, scalar_error, weight_error, fields_error;
  place_t map_place, scalar_place, weight_place, place;
  logic [23:0] pixels_q;

  map_fields u_map (
      .words_i,
      .reserved_i,
      .pixels_i(pixels_q[20:0]),
      .error_o (map_error),
      .index_i (index_q),
      .place_o (map_place)
  );
  assign map_done = 1'b1;

  scalar_fields u_scalar (
      .words_i,
      .reserved_i,
      .error_o(scalar_error),
      .index_i(index_q),
      .place_o(scalar_place)
  );
  assign scalar_done = 1'b1;

  weight_fields u_weight (
      .clk_i,
      .rst_ni,
      .start_i   (start_i && family == FamilyWeights),
      .words_i,
      .reserved_i,
      .done_o    (weight_done),
      .error_o   (weight_error),
      .index_i   (index_q),
      .place_o   (weight_place)
  );

  always_comb begin
    unique case (family)
      FamilyMap:    {fields_done, fields_error, place} = {map_done, map_error, map_place};
      FamilyScalar: {fields_done, fields_error, place} = {scalar_done, scalar_error, scalar_place};
      default:      {fields_done, fields_error, place} = {weight_done, weight_error, weight_place};
    endcase
  end

  // The product of a step: operands in its first cycle, judged in its third.
  logic [33:0] x_q;
  logic [15:0] y_q;
  logic [49:0] product_q;
  logic [32:0] area_q;
  logic [33:0] image_q, padded_q;  // bytes of an image; 2^33 and more count as 2^33
  logic [44:0] image;
  assign image = 45'({product_q[43:0], 1'b0});
  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Pixels:  {x_q, y_q} <= {34'(words_i[5][15:0]), words_i[5][31:16]};
      Count:   {x_q, y_q} <= {34'(pixels_q), words_i[3][15:0]};
      Area:    {x_q, y_q} <= {34'(place.pixels), 16'(place.blocks)};
      Image:   {x_q, y_q} <= {34'(area_q), 16'(place.bits)};
      default: {x_q, y_q} <= {padded_q, place.images - 16'd1};
    endcase
    product_q <= 50'(x_q) * 50'(y_q);
  end
  assign padded_q = (image_q + 34'd63) & ~34'd63;

  // Where the place ends, and the places so far.
  logic [31:0] address, begin_of;
  logic [51:0] end_of;
  logic [63:0] spans_q[16];
  logic [63:0] mine_q, other;
  logic [Places-1:0] used_q, writes_q;
  logic last_place, overlap;
  assign address    = words_i[5'(FirstPlace)+5'(index_q)];
  assign end_of     = 52'(address) + 52'(image_q) + 52'(product_q) + (place.header ? 52'd64 : 52'd0);
  assign last_place = index_q == LastPlace;
  assign begin_of   = address;
  assign other      = other_q > LastPlace ? {list_begin_i, list_end_i} : spans_q[other_q];
  assign overlap    = mine_q[63:32] < other[31:0] && other[63:32] < mine_q[31:0]
      && (other_q > LastPlace || (used_q[other_q] && other_q != index_q));

  logic [7:0] verdict;
  logic ready, judged, ends;
  assign judged = state_q inside {Pixels, Count, Area, Image, All} ? phase_q == 2'd2
                  : state_q == Fields ? fields_done : state_q != Idle;
  // A place that is not used, or not written, is passed over.
  assign ready = state_q == Area && phase_q == '0 && !place.used;
  always_comb begin
    verdict = 8'(ERROR_OK);
    unique case (state_q)
      Fields:  verdict = fields_error;
      Count:   if (family != FamilyWeights && product_q > 50'(MAX_COUNT)) verdict = 8'(ERROR_OVERFLOW);
      Align:   if (place.used && address[5:0] != '0) verdict = 8'(ERROR_ALIGNMENT);
      All:     if (end_of > 52'(mem_bytes_i)) verdict = 8'(ERROR_RANGE);
      Overlap: if (overlap) verdict = 8'(ERROR_OVERLAP);
      default: ;
    endcase
  end
  assign ends = judged && (verdict != 8'(ERROR_OK)
      || (last_place && (state_q == Mine ? !writes_q[index_q] : state_q == Overlap && other_q > LastPlace)));

  always_ff @(posedge clk_i) begin
    done_o  <= ends;
    phase_q <= judged || ready || state_q == Idle ? '0 : phase_q + 2'd1;
    if (state_q == Idle && start_i) begin
      state_q <= Fields;
      index_q <= '0;
    end
    if (ready) begin
      index_q <= last_place ? '0 : index_q + 4'd1;
      state_q <= last_place ? Mine : Area;
    end
    if (judged) begin
      unique case (state_q)
        Fields: state_q <= Pixels;
        Pixels: begin
          pixels_q <= product_q[23:0];
          state_q  <= Count;
        end
        Count: begin
          count_o <= product_q[20:0];
          state_q <= Align;
        end
        Align: begin
          used_q[index_q]   <= place.used;
          writes_q[index_q] <= place.used && place.writes;
          index_q           <= last_place ? '0 : index_q + 4'd1;
          state_q           <= last_place ? Area : Align;
        end
        Area: begin
          area_q  <= product_q[32:0];
          state_q <= Image;
        end
        Image: begin
          image_q <= image[44:33] != '0 ? 34'h2_0000_0000 : image[33:0];
          state_q <= All;
        end
        All: begin
          spans_q[index_q] <= {begin_of, end_of[31:0]};
          index_q          <= last_place ? '0 : index_q + 4'd1;
          state_q          <= last_place ? Mine : Area;
        end
        Mine: begin
          mine_q  <= spans_q[index_q];
          other_q <= '0;
          if (writes_q[index_q]) state_q <= Overlap;
          else index_q <= index_q + 4'd1;
        end
        default: begin  // Overlap
          other_q <= other_q + 4'd1;
          if (other_q > LastPlace) begin
            index_q <= index_q + 4'd1;
            state_q <= Mine;
          end
        end
      endcase
    end
    if (ends) begin
      error_o <= verdict;
      state_q <= Idle;
    end
    if (!rst_ni || clear_i) begin
      state_q <= Idle;
      done_o  <= 1'b0;
    end
  end
endmodule
