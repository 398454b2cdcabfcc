// Generated from sim/contract/contract.toml by `cpt constants --write`; do not edit.
#pragma once

#include <cstdint>

namespace cpt {

constexpr std::uint32_t VERSION_MAGIC = 1129337905u;
constexpr std::uint32_t VERSION_MAJOR = 2u;
constexpr std::uint32_t VERSION_MINOR = 0u;
constexpr std::uint32_t CHANNEL_BLOCK = 16u;
constexpr std::uint32_t MAX_OPERAND_BITS = 16u;
constexpr std::uint32_t MAX_OUT_BITS = 16u;
constexpr std::uint32_t ACCUMULATOR_BITS = 48u;
constexpr std::uint32_t MAX_SHIFT = 47u;
constexpr std::uint32_t COMMAND_BYTES = 128u;
constexpr std::uint32_t COMMAND_WORDS = 32u;
constexpr std::uint32_t LIST_ALIGNMENT = 64u;
constexpr std::uint32_t ADDRESS_BITS = 32u;
constexpr std::uint32_t TENSOR_ALIGNMENT = 64u;
constexpr std::uint32_t MAX_IMAGES = 65535u;
constexpr std::uint32_t MAX_BLOCKS = 4095u;
constexpr std::uint32_t MAX_EXTENT = 4095u;
constexpr std::uint32_t MAX_KERNEL = 15u;
constexpr std::uint32_t MAX_STEP = 15u;
constexpr std::uint32_t MAX_PADDING = 31u;
constexpr std::uint32_t MAX_COUNT = 1048576u;
constexpr std::uint32_t TALLY_SUM_BITS = 37u;
constexpr std::uint32_t TALLY_SECOND_BITS = 53u;
constexpr std::uint32_t TALLY_CODE_BITS = 17u;
constexpr std::uint32_t COEFFICIENT_BITS = 25u;
constexpr std::uint32_t MAX_MAP_SHIFT = 30u;
constexpr std::uint32_t MAX_SCALE_SHIFT = 47u;
constexpr std::uint32_t SCALAR_BITS = 31u;
constexpr std::uint32_t MAX_EXPONENT = 16384u;
constexpr std::uint32_t NO_COMMAND = 4294967295u;
constexpr std::uint32_t NOISE_SALT_0 = 2654435769u;
constexpr std::uint32_t NOISE_SALT_1 = 2246822507u;
constexpr std::uint32_t FEATURE_VECTOR_UNIT = 0u;
constexpr std::uint32_t OPCODE_CONV = 1u;
constexpr std::uint32_t OPCODE_WGRAD = 2u;
constexpr std::uint32_t OPCODE_MAP = 3u;
constexpr std::uint32_t OPCODE_NORM = 4u;
constexpr std::uint32_t OPCODE_SCALE = 5u;
constexpr std::uint32_t OPCODE_JOIN = 6u;
constexpr std::uint32_t OPCODE_ERROR = 7u;
constexpr std::uint32_t OPCODE_UPDATE = 8u;
constexpr std::uint32_t OPCODE_WEIGHTS = 9u;
constexpr std::uint32_t FORMAT_INT16 = 0u;
constexpr std::uint32_t FORMAT_INT32 = 1u;
constexpr std::uint32_t FORMAT_INT64 = 2u;
constexpr std::uint32_t FORMAT_PLANES = 3u;
constexpr std::uint32_t FLAG_A_SIGNED = 0u;
constexpr std::uint32_t FLAG_B_SIGNED = 1u;
constexpr std::uint32_t FLAG_OUT_SIGNED = 2u;
constexpr std::uint32_t FLAG_STOCHASTIC = 3u;
constexpr std::uint32_t FLAG_ROW_SUMS = 4u;
constexpr std::uint32_t FLAG_HALF = 5u;
constexpr std::uint32_t FLAG_STATS = 6u;
constexpr std::uint32_t MAP_FLAG_X0_SIGNED = 0u;
constexpr std::uint32_t MAP_FLAG_X1_SIGNED = 1u;
constexpr std::uint32_t MAP_FLAG_OUT_SIGNED = 2u;
constexpr std::uint32_t MAP_FLAG_STOCHASTIC = 3u;
constexpr std::uint32_t MAP_FLAG_TALLY = 4u;
constexpr std::uint32_t MAP_FLAG_BROADCAST = 5u;
constexpr std::uint32_t MAP_FLAG_MASK_X0 = 6u;
constexpr std::uint32_t MAP_FLAG_MASK_OUT = 7u;
constexpr std::uint32_t MAP_FLAG_MASK_WRITE = 8u;
constexpr std::uint32_t SCALAR_FLAG_EVALUATE = 0u;
constexpr std::uint32_t SCALAR_FLAG_RELU = 1u;
constexpr std::uint32_t SCALAR_FLAG_NODE = 2u;
constexpr std::uint32_t SCALAR_FLAG_STREAM = 3u;
constexpr std::uint32_t SCALAR_FLAG_BRANCH = 4u;
constexpr std::uint32_t SCALAR_FLAG_POWER = 5u;
constexpr std::uint32_t WEIGHT_FLAG_HALF = 0u;
constexpr std::uint32_t WEIGHT_FLAG_BOTH = 1u;
constexpr std::uint32_t BLOCK_TALLY = 1498172481u;
constexpr std::uint32_t BLOCK_NORM = 1297239886u;
constexpr std::uint32_t BLOCK_COEFFICIENTS = 1178947395u;
constexpr std::uint32_t BLOCK_TENSOR = 1397638484u;
constexpr std::uint32_t BLOCK_PARAMETERS = 1095909712u;
constexpr std::uint32_t BLOCK_UNITS = 1414090325u;
constexpr std::uint32_t BLOCK_MAXIMA = 1230520653u;
constexpr std::uint32_t BLOCK_STEP = 1346720851u;
constexpr std::uint32_t ERROR_OK = 0u;
constexpr std::uint32_t ERROR_LIST_ALIGNMENT = 1u;
constexpr std::uint32_t ERROR_LIST_TRUNCATED = 2u;
constexpr std::uint32_t ERROR_LIST_RANGE = 3u;
constexpr std::uint32_t ERROR_OPCODE = 16u;
constexpr std::uint32_t ERROR_RESERVED = 17u;
constexpr std::uint32_t ERROR_WIDTH = 18u;
constexpr std::uint32_t ERROR_FORMAT = 19u;
constexpr std::uint32_t ERROR_SHAPE = 20u;
constexpr std::uint32_t ERROR_UNSUPPORTED = 21u;
constexpr std::uint32_t ERROR_OVERFLOW = 22u;
constexpr std::uint32_t ERROR_CAPACITY = 23u;
constexpr std::uint32_t ERROR_ALIGNMENT = 24u;
constexpr std::uint32_t ERROR_STRIDE = 25u;
constexpr std::uint32_t ERROR_RANGE = 26u;
constexpr std::uint32_t ERROR_OVERLAP = 27u;
constexpr std::uint32_t ERROR_COEFFICIENTS = 28u;
constexpr std::uint32_t ERROR_READ_BUS = 48u;
constexpr std::uint32_t ERROR_WRITE_BUS = 49u;
constexpr std::uint32_t REGISTER_AP_CTRL = 0u;
constexpr std::uint32_t REGISTER_GIER = 4u;
constexpr std::uint32_t REGISTER_IER = 8u;
constexpr std::uint32_t REGISTER_ISR = 12u;
constexpr std::uint32_t REGISTER_MEM_BASE = 16u;
constexpr std::uint32_t REGISTER_MEM_BYTES = 32u;
constexpr std::uint32_t REGISTER_LIST_OFFSET = 40u;
constexpr std::uint32_t REGISTER_LIST_BYTES = 48u;
constexpr std::uint32_t REGISTER_STATUS = 64u;
constexpr std::uint32_t REGISTER_ERROR_INDEX = 80u;
constexpr std::uint32_t REGISTER_COMMANDS_DONE = 96u;
constexpr std::uint32_t REGISTER_CYCLES_TOTAL = 112u;
constexpr std::uint32_t REGISTER_CYCLES_BUSY = 128u;
constexpr std::uint32_t REGISTER_CYCLES_LOAD_STALL = 144u;
constexpr std::uint32_t REGISTER_CYCLES_STORE_STALL = 160u;
constexpr std::uint32_t REGISTER_MAGIC = 176u;
constexpr std::uint32_t REGISTER_VERSION = 192u;
constexpr std::uint32_t REGISTER_LANES = 208u;
constexpr std::uint32_t REGISTER_COLUMNS = 224u;
constexpr std::uint32_t REGISTER_SLICE_GROUPS = 240u;
constexpr std::uint32_t REGISTER_LANE_WORDS = 256u;
constexpr std::uint32_t REGISTER_COLUMN_WORDS = 272u;
constexpr std::uint32_t REGISTER_ROW_WORDS = 288u;
constexpr std::uint32_t REGISTER_BUS_BYTES = 304u;
constexpr std::uint32_t REGISTER_FEATURES = 320u;
constexpr std::uint32_t AP_CTRL_START = 0u;
constexpr std::uint32_t AP_CTRL_DONE = 1u;
constexpr std::uint32_t AP_CTRL_IDLE = 2u;
constexpr std::uint32_t AP_CTRL_READY = 3u;
constexpr std::uint32_t AP_CTRL_AUTO_RESTART = 7u;
constexpr std::uint32_t AP_CTRL_SW_RESET = 8u;
constexpr std::uint32_t AP_CTRL_INTERRUPT = 9u;
constexpr std::uint32_t IRQ_DONE = 0u;
constexpr std::uint32_t IRQ_READY = 1u;
constexpr std::uint32_t FIELD_OPCODE_WORD = 0u;
constexpr std::uint32_t FIELD_OPCODE_LSB = 0u;
constexpr std::uint32_t FIELD_OPCODE_WIDTH = 8u;
constexpr std::uint32_t FIELD_A_BITS_WORD = 0u;
constexpr std::uint32_t FIELD_A_BITS_LSB = 8u;
constexpr std::uint32_t FIELD_A_BITS_WIDTH = 8u;
constexpr std::uint32_t FIELD_B_BITS_WORD = 0u;
constexpr std::uint32_t FIELD_B_BITS_LSB = 16u;
constexpr std::uint32_t FIELD_B_BITS_WIDTH = 8u;
constexpr std::uint32_t FIELD_OUT_BITS_WORD = 0u;
constexpr std::uint32_t FIELD_OUT_BITS_LSB = 24u;
constexpr std::uint32_t FIELD_OUT_BITS_WIDTH = 8u;
constexpr std::uint32_t FIELD_FLAGS_WORD = 1u;
constexpr std::uint32_t FIELD_FLAGS_LSB = 0u;
constexpr std::uint32_t FIELD_FLAGS_WIDTH = 8u;
constexpr std::uint32_t FIELD_OUT_FORMAT_WORD = 1u;
constexpr std::uint32_t FIELD_OUT_FORMAT_LSB = 8u;
constexpr std::uint32_t FIELD_OUT_FORMAT_WIDTH = 8u;
constexpr std::uint32_t FIELD_SHIFT_WORD = 1u;
constexpr std::uint32_t FIELD_SHIFT_LSB = 16u;
constexpr std::uint32_t FIELD_SHIFT_WIDTH = 8u;
constexpr std::uint32_t FIELD_TAG_WORD = 2u;
constexpr std::uint32_t FIELD_TAG_LSB = 0u;
constexpr std::uint32_t FIELD_TAG_WIDTH = 32u;
constexpr std::uint32_t FIELD_IMAGES_WORD = 3u;
constexpr std::uint32_t FIELD_IMAGES_LSB = 0u;
constexpr std::uint32_t FIELD_IMAGES_WIDTH = 16u;
constexpr std::uint32_t FIELD_A_BLOCKS_WORD = 4u;
constexpr std::uint32_t FIELD_A_BLOCKS_LSB = 0u;
constexpr std::uint32_t FIELD_A_BLOCKS_WIDTH = 16u;
constexpr std::uint32_t FIELD_Y_BLOCKS_WORD = 4u;
constexpr std::uint32_t FIELD_Y_BLOCKS_LSB = 16u;
constexpr std::uint32_t FIELD_Y_BLOCKS_WIDTH = 16u;
constexpr std::uint32_t FIELD_A_HEIGHT_WORD = 5u;
constexpr std::uint32_t FIELD_A_HEIGHT_LSB = 0u;
constexpr std::uint32_t FIELD_A_HEIGHT_WIDTH = 16u;
constexpr std::uint32_t FIELD_A_WIDTH_WORD = 5u;
constexpr std::uint32_t FIELD_A_WIDTH_LSB = 16u;
constexpr std::uint32_t FIELD_A_WIDTH_WIDTH = 16u;
constexpr std::uint32_t FIELD_Y_HEIGHT_WORD = 6u;
constexpr std::uint32_t FIELD_Y_HEIGHT_LSB = 0u;
constexpr std::uint32_t FIELD_Y_HEIGHT_WIDTH = 16u;
constexpr std::uint32_t FIELD_Y_WIDTH_WORD = 6u;
constexpr std::uint32_t FIELD_Y_WIDTH_LSB = 16u;
constexpr std::uint32_t FIELD_Y_WIDTH_WIDTH = 16u;
constexpr std::uint32_t FIELD_KERNEL_H_WORD = 7u;
constexpr std::uint32_t FIELD_KERNEL_H_LSB = 0u;
constexpr std::uint32_t FIELD_KERNEL_H_WIDTH = 8u;
constexpr std::uint32_t FIELD_KERNEL_W_WORD = 7u;
constexpr std::uint32_t FIELD_KERNEL_W_LSB = 8u;
constexpr std::uint32_t FIELD_KERNEL_W_WIDTH = 8u;
constexpr std::uint32_t FIELD_STRIDE_Y_WORD = 7u;
constexpr std::uint32_t FIELD_STRIDE_Y_LSB = 16u;
constexpr std::uint32_t FIELD_STRIDE_Y_WIDTH = 8u;
constexpr std::uint32_t FIELD_STRIDE_X_WORD = 7u;
constexpr std::uint32_t FIELD_STRIDE_X_LSB = 24u;
constexpr std::uint32_t FIELD_STRIDE_X_WIDTH = 8u;
constexpr std::uint32_t FIELD_UP_Y_WORD = 8u;
constexpr std::uint32_t FIELD_UP_Y_LSB = 0u;
constexpr std::uint32_t FIELD_UP_Y_WIDTH = 8u;
constexpr std::uint32_t FIELD_UP_X_WORD = 8u;
constexpr std::uint32_t FIELD_UP_X_LSB = 8u;
constexpr std::uint32_t FIELD_UP_X_WIDTH = 8u;
constexpr std::uint32_t FIELD_PAD_TOP_WORD = 9u;
constexpr std::uint32_t FIELD_PAD_TOP_LSB = 0u;
constexpr std::uint32_t FIELD_PAD_TOP_WIDTH = 8u;
constexpr std::uint32_t FIELD_PAD_LEFT_WORD = 9u;
constexpr std::uint32_t FIELD_PAD_LEFT_LSB = 8u;
constexpr std::uint32_t FIELD_PAD_LEFT_WIDTH = 8u;
constexpr std::uint32_t FIELD_PAD_BOTTOM_WORD = 9u;
constexpr std::uint32_t FIELD_PAD_BOTTOM_LSB = 16u;
constexpr std::uint32_t FIELD_PAD_BOTTOM_WIDTH = 8u;
constexpr std::uint32_t FIELD_PAD_RIGHT_WORD = 9u;
constexpr std::uint32_t FIELD_PAD_RIGHT_LSB = 24u;
constexpr std::uint32_t FIELD_PAD_RIGHT_WIDTH = 8u;
constexpr std::uint32_t FIELD_A_ADDR_WORD = 10u;
constexpr std::uint32_t FIELD_A_ADDR_LSB = 0u;
constexpr std::uint32_t FIELD_A_ADDR_WIDTH = 32u;
constexpr std::uint32_t FIELD_A_IMAGE_STRIDE_WORD = 11u;
constexpr std::uint32_t FIELD_A_IMAGE_STRIDE_LSB = 0u;
constexpr std::uint32_t FIELD_A_IMAGE_STRIDE_WIDTH = 32u;
constexpr std::uint32_t FIELD_A_BLOCK_STRIDE_WORD = 12u;
constexpr std::uint32_t FIELD_A_BLOCK_STRIDE_LSB = 0u;
constexpr std::uint32_t FIELD_A_BLOCK_STRIDE_WIDTH = 32u;
constexpr std::uint32_t FIELD_B_ADDR_WORD = 13u;
constexpr std::uint32_t FIELD_B_ADDR_LSB = 0u;
constexpr std::uint32_t FIELD_B_ADDR_WIDTH = 32u;
constexpr std::uint32_t FIELD_B_IMAGE_STRIDE_WORD = 14u;
constexpr std::uint32_t FIELD_B_IMAGE_STRIDE_LSB = 0u;
constexpr std::uint32_t FIELD_B_IMAGE_STRIDE_WIDTH = 32u;
constexpr std::uint32_t FIELD_B_BLOCK_STRIDE_WORD = 15u;
constexpr std::uint32_t FIELD_B_BLOCK_STRIDE_LSB = 0u;
constexpr std::uint32_t FIELD_B_BLOCK_STRIDE_WIDTH = 32u;
constexpr std::uint32_t FIELD_OUT_ADDR_WORD = 16u;
constexpr std::uint32_t FIELD_OUT_ADDR_LSB = 0u;
constexpr std::uint32_t FIELD_OUT_ADDR_WIDTH = 32u;
constexpr std::uint32_t FIELD_OUT_IMAGE_STRIDE_WORD = 17u;
constexpr std::uint32_t FIELD_OUT_IMAGE_STRIDE_LSB = 0u;
constexpr std::uint32_t FIELD_OUT_IMAGE_STRIDE_WIDTH = 32u;
constexpr std::uint32_t FIELD_OUT_BLOCK_STRIDE_WORD = 18u;
constexpr std::uint32_t FIELD_OUT_BLOCK_STRIDE_LSB = 0u;
constexpr std::uint32_t FIELD_OUT_BLOCK_STRIDE_WIDTH = 32u;
constexpr std::uint32_t FIELD_SUMS_ADDR_WORD = 19u;
constexpr std::uint32_t FIELD_SUMS_ADDR_LSB = 0u;
constexpr std::uint32_t FIELD_SUMS_ADDR_WIDTH = 32u;
constexpr std::uint32_t FIELD_SEED_LO_WORD = 20u;
constexpr std::uint32_t FIELD_SEED_LO_LSB = 0u;
constexpr std::uint32_t FIELD_SEED_LO_WIDTH = 32u;
constexpr std::uint32_t FIELD_SEED_HI_WORD = 21u;
constexpr std::uint32_t FIELD_SEED_HI_LSB = 0u;
constexpr std::uint32_t FIELD_SEED_HI_WIDTH = 32u;
constexpr std::uint32_t FIELD_TALLY_ADDR_WORD = 22u;
constexpr std::uint32_t FIELD_TALLY_ADDR_LSB = 0u;
constexpr std::uint32_t FIELD_TALLY_ADDR_WIDTH = 32u;
constexpr std::uint32_t MAP_FIELD_OPCODE_WORD = 0u;
constexpr std::uint32_t MAP_FIELD_OPCODE_LSB = 0u;
constexpr std::uint32_t MAP_FIELD_OPCODE_WIDTH = 8u;
constexpr std::uint32_t MAP_FIELD_X0_BITS_WORD = 0u;
constexpr std::uint32_t MAP_FIELD_X0_BITS_LSB = 8u;
constexpr std::uint32_t MAP_FIELD_X0_BITS_WIDTH = 8u;
constexpr std::uint32_t MAP_FIELD_X1_BITS_WORD = 0u;
constexpr std::uint32_t MAP_FIELD_X1_BITS_LSB = 16u;
constexpr std::uint32_t MAP_FIELD_X1_BITS_WIDTH = 8u;
constexpr std::uint32_t MAP_FIELD_X2_BITS_WORD = 0u;
constexpr std::uint32_t MAP_FIELD_X2_BITS_LSB = 24u;
constexpr std::uint32_t MAP_FIELD_X2_BITS_WIDTH = 8u;
constexpr std::uint32_t MAP_FIELD_FLAGS_WORD = 1u;
constexpr std::uint32_t MAP_FIELD_FLAGS_LSB = 0u;
constexpr std::uint32_t MAP_FIELD_FLAGS_WIDTH = 16u;
constexpr std::uint32_t MAP_FIELD_OUT0_BITS_WORD = 1u;
constexpr std::uint32_t MAP_FIELD_OUT0_BITS_LSB = 16u;
constexpr std::uint32_t MAP_FIELD_OUT0_BITS_WIDTH = 8u;
constexpr std::uint32_t MAP_FIELD_OUT1_BITS_WORD = 1u;
constexpr std::uint32_t MAP_FIELD_OUT1_BITS_LSB = 24u;
constexpr std::uint32_t MAP_FIELD_OUT1_BITS_WIDTH = 8u;
constexpr std::uint32_t MAP_FIELD_TAG_WORD = 2u;
constexpr std::uint32_t MAP_FIELD_TAG_LSB = 0u;
constexpr std::uint32_t MAP_FIELD_TAG_WIDTH = 32u;
constexpr std::uint32_t MAP_FIELD_IMAGES_WORD = 3u;
constexpr std::uint32_t MAP_FIELD_IMAGES_LSB = 0u;
constexpr std::uint32_t MAP_FIELD_IMAGES_WIDTH = 16u;
constexpr std::uint32_t MAP_FIELD_BLOCKS_WORD = 4u;
constexpr std::uint32_t MAP_FIELD_BLOCKS_LSB = 0u;
constexpr std::uint32_t MAP_FIELD_BLOCKS_WIDTH = 16u;
constexpr std::uint32_t MAP_FIELD_HEIGHT_WORD = 5u;
constexpr std::uint32_t MAP_FIELD_HEIGHT_LSB = 0u;
constexpr std::uint32_t MAP_FIELD_HEIGHT_WIDTH = 16u;
constexpr std::uint32_t MAP_FIELD_WIDTH_WORD = 5u;
constexpr std::uint32_t MAP_FIELD_WIDTH_LSB = 16u;
constexpr std::uint32_t MAP_FIELD_WIDTH_WIDTH = 16u;
constexpr std::uint32_t MAP_FIELD_X0_ADDR_WORD = 6u;
constexpr std::uint32_t MAP_FIELD_X0_ADDR_LSB = 0u;
constexpr std::uint32_t MAP_FIELD_X0_ADDR_WIDTH = 32u;
constexpr std::uint32_t MAP_FIELD_X1_ADDR_WORD = 7u;
constexpr std::uint32_t MAP_FIELD_X1_ADDR_LSB = 0u;
constexpr std::uint32_t MAP_FIELD_X1_ADDR_WIDTH = 32u;
constexpr std::uint32_t MAP_FIELD_X2_ADDR_WORD = 8u;
constexpr std::uint32_t MAP_FIELD_X2_ADDR_LSB = 0u;
constexpr std::uint32_t MAP_FIELD_X2_ADDR_WIDTH = 32u;
constexpr std::uint32_t MAP_FIELD_MASK_ADDR_WORD = 9u;
constexpr std::uint32_t MAP_FIELD_MASK_ADDR_LSB = 0u;
constexpr std::uint32_t MAP_FIELD_MASK_ADDR_WIDTH = 32u;
constexpr std::uint32_t MAP_FIELD_OUT0_ADDR_WORD = 10u;
constexpr std::uint32_t MAP_FIELD_OUT0_ADDR_LSB = 0u;
constexpr std::uint32_t MAP_FIELD_OUT0_ADDR_WIDTH = 32u;
constexpr std::uint32_t MAP_FIELD_OUT1_ADDR_WORD = 11u;
constexpr std::uint32_t MAP_FIELD_OUT1_ADDR_LSB = 0u;
constexpr std::uint32_t MAP_FIELD_OUT1_ADDR_WIDTH = 32u;
constexpr std::uint32_t MAP_FIELD_COEFFICIENTS_ADDR_WORD = 12u;
constexpr std::uint32_t MAP_FIELD_COEFFICIENTS_ADDR_LSB = 0u;
constexpr std::uint32_t MAP_FIELD_COEFFICIENTS_ADDR_WIDTH = 32u;
constexpr std::uint32_t MAP_FIELD_TALLY_ADDR_WORD = 13u;
constexpr std::uint32_t MAP_FIELD_TALLY_ADDR_LSB = 0u;
constexpr std::uint32_t MAP_FIELD_TALLY_ADDR_WIDTH = 32u;
constexpr std::uint32_t MAP_FIELD_STEP_ADDR_WORD = 14u;
constexpr std::uint32_t MAP_FIELD_STEP_ADDR_LSB = 0u;
constexpr std::uint32_t MAP_FIELD_STEP_ADDR_WIDTH = 32u;
constexpr std::uint32_t MAP_FIELD_SEED_LO_WORD = 15u;
constexpr std::uint32_t MAP_FIELD_SEED_LO_LSB = 0u;
constexpr std::uint32_t MAP_FIELD_SEED_LO_WIDTH = 32u;
constexpr std::uint32_t MAP_FIELD_SEED_HI_WORD = 16u;
constexpr std::uint32_t MAP_FIELD_SEED_HI_LSB = 0u;
constexpr std::uint32_t MAP_FIELD_SEED_HI_WIDTH = 32u;
constexpr std::uint32_t SCALAR_FIELD_OPCODE_WORD = 0u;
constexpr std::uint32_t SCALAR_FIELD_OPCODE_LSB = 0u;
constexpr std::uint32_t SCALAR_FIELD_OPCODE_WIDTH = 8u;
constexpr std::uint32_t SCALAR_FIELD_BITS_WORD = 0u;
constexpr std::uint32_t SCALAR_FIELD_BITS_LSB = 8u;
constexpr std::uint32_t SCALAR_FIELD_BITS_WIDTH = 8u;
constexpr std::uint32_t SCALAR_FIELD_WIDE_BITS_WORD = 0u;
constexpr std::uint32_t SCALAR_FIELD_WIDE_BITS_LSB = 16u;
constexpr std::uint32_t SCALAR_FIELD_WIDE_BITS_WIDTH = 8u;
constexpr std::uint32_t SCALAR_FIELD_SHIFT_WORD = 0u;
constexpr std::uint32_t SCALAR_FIELD_SHIFT_LSB = 24u;
constexpr std::uint32_t SCALAR_FIELD_SHIFT_WIDTH = 8u;
constexpr std::uint32_t SCALAR_FIELD_FLAGS_WORD = 1u;
constexpr std::uint32_t SCALAR_FIELD_FLAGS_LSB = 0u;
constexpr std::uint32_t SCALAR_FIELD_FLAGS_WIDTH = 16u;
constexpr std::uint32_t SCALAR_FIELD_SHIFT1_WORD = 1u;
constexpr std::uint32_t SCALAR_FIELD_SHIFT1_LSB = 16u;
constexpr std::uint32_t SCALAR_FIELD_SHIFT1_WIDTH = 8u;
constexpr std::uint32_t SCALAR_FIELD_TAG_WORD = 2u;
constexpr std::uint32_t SCALAR_FIELD_TAG_LSB = 0u;
constexpr std::uint32_t SCALAR_FIELD_TAG_WIDTH = 32u;
constexpr std::uint32_t SCALAR_FIELD_IMAGES_WORD = 3u;
constexpr std::uint32_t SCALAR_FIELD_IMAGES_LSB = 0u;
constexpr std::uint32_t SCALAR_FIELD_IMAGES_WIDTH = 16u;
constexpr std::uint32_t SCALAR_FIELD_CHANNELS_WORD = 4u;
constexpr std::uint32_t SCALAR_FIELD_CHANNELS_LSB = 0u;
constexpr std::uint32_t SCALAR_FIELD_CHANNELS_WIDTH = 16u;
constexpr std::uint32_t SCALAR_FIELD_HEIGHT_WORD = 5u;
constexpr std::uint32_t SCALAR_FIELD_HEIGHT_LSB = 0u;
constexpr std::uint32_t SCALAR_FIELD_HEIGHT_WIDTH = 16u;
constexpr std::uint32_t SCALAR_FIELD_WIDTH_WORD = 5u;
constexpr std::uint32_t SCALAR_FIELD_WIDTH_LSB = 16u;
constexpr std::uint32_t SCALAR_FIELD_WIDTH_WIDTH = 16u;
constexpr std::uint32_t SCALAR_FIELD_TALLY_ADDR_WORD = 6u;
constexpr std::uint32_t SCALAR_FIELD_TALLY_ADDR_LSB = 0u;
constexpr std::uint32_t SCALAR_FIELD_TALLY_ADDR_WIDTH = 32u;
constexpr std::uint32_t SCALAR_FIELD_TALLY1_ADDR_WORD = 7u;
constexpr std::uint32_t SCALAR_FIELD_TALLY1_ADDR_LSB = 0u;
constexpr std::uint32_t SCALAR_FIELD_TALLY1_ADDR_WIDTH = 32u;
constexpr std::uint32_t SCALAR_FIELD_NORM_ADDR_WORD = 8u;
constexpr std::uint32_t SCALAR_FIELD_NORM_ADDR_LSB = 0u;
constexpr std::uint32_t SCALAR_FIELD_NORM_ADDR_WIDTH = 32u;
constexpr std::uint32_t SCALAR_FIELD_NORM1_ADDR_WORD = 9u;
constexpr std::uint32_t SCALAR_FIELD_NORM1_ADDR_LSB = 0u;
constexpr std::uint32_t SCALAR_FIELD_NORM1_ADDR_WIDTH = 32u;
constexpr std::uint32_t SCALAR_FIELD_PARAMETERS_ADDR_WORD = 10u;
constexpr std::uint32_t SCALAR_FIELD_PARAMETERS_ADDR_LSB = 0u;
constexpr std::uint32_t SCALAR_FIELD_PARAMETERS_ADDR_WIDTH = 32u;
constexpr std::uint32_t SCALAR_FIELD_UNITS_ADDR_WORD = 11u;
constexpr std::uint32_t SCALAR_FIELD_UNITS_ADDR_LSB = 0u;
constexpr std::uint32_t SCALAR_FIELD_UNITS_ADDR_WIDTH = 32u;
constexpr std::uint32_t SCALAR_FIELD_UNITS1_ADDR_WORD = 12u;
constexpr std::uint32_t SCALAR_FIELD_UNITS1_ADDR_LSB = 0u;
constexpr std::uint32_t SCALAR_FIELD_UNITS1_ADDR_WIDTH = 32u;
constexpr std::uint32_t SCALAR_FIELD_IN_ADDR_WORD = 13u;
constexpr std::uint32_t SCALAR_FIELD_IN_ADDR_LSB = 0u;
constexpr std::uint32_t SCALAR_FIELD_IN_ADDR_WIDTH = 32u;
constexpr std::uint32_t SCALAR_FIELD_IN1_ADDR_WORD = 14u;
constexpr std::uint32_t SCALAR_FIELD_IN1_ADDR_LSB = 0u;
constexpr std::uint32_t SCALAR_FIELD_IN1_ADDR_WIDTH = 32u;
constexpr std::uint32_t SCALAR_FIELD_OUT_ADDR_WORD = 15u;
constexpr std::uint32_t SCALAR_FIELD_OUT_ADDR_LSB = 0u;
constexpr std::uint32_t SCALAR_FIELD_OUT_ADDR_WIDTH = 32u;
constexpr std::uint32_t SCALAR_FIELD_COEFFICIENTS_ADDR_WORD = 16u;
constexpr std::uint32_t SCALAR_FIELD_COEFFICIENTS_ADDR_LSB = 0u;
constexpr std::uint32_t SCALAR_FIELD_COEFFICIENTS_ADDR_WIDTH = 32u;
constexpr std::uint32_t SCALAR_FIELD_STEP_ADDR_WORD = 17u;
constexpr std::uint32_t SCALAR_FIELD_STEP_ADDR_LSB = 0u;
constexpr std::uint32_t SCALAR_FIELD_STEP_ADDR_WIDTH = 32u;
constexpr std::uint32_t WEIGHT_FIELD_OPCODE_WORD = 0u;
constexpr std::uint32_t WEIGHT_FIELD_OPCODE_LSB = 0u;
constexpr std::uint32_t WEIGHT_FIELD_OPCODE_WIDTH = 8u;
constexpr std::uint32_t WEIGHT_FIELD_BITS_WORD = 0u;
constexpr std::uint32_t WEIGHT_FIELD_BITS_LSB = 8u;
constexpr std::uint32_t WEIGHT_FIELD_BITS_WIDTH = 8u;
constexpr std::uint32_t WEIGHT_FIELD_ACC_FORMAT_WORD = 0u;
constexpr std::uint32_t WEIGHT_FIELD_ACC_FORMAT_LSB = 16u;
constexpr std::uint32_t WEIGHT_FIELD_ACC_FORMAT_WIDTH = 8u;
constexpr std::uint32_t WEIGHT_FIELD_FLAGS_WORD = 1u;
constexpr std::uint32_t WEIGHT_FIELD_FLAGS_LSB = 0u;
constexpr std::uint32_t WEIGHT_FIELD_FLAGS_WIDTH = 16u;
constexpr std::uint32_t WEIGHT_FIELD_TAG_WORD = 2u;
constexpr std::uint32_t WEIGHT_FIELD_TAG_LSB = 0u;
constexpr std::uint32_t WEIGHT_FIELD_TAG_WIDTH = 32u;
constexpr std::uint32_t WEIGHT_FIELD_IN_CHANNELS_WORD = 3u;
constexpr std::uint32_t WEIGHT_FIELD_IN_CHANNELS_LSB = 0u;
constexpr std::uint32_t WEIGHT_FIELD_IN_CHANNELS_WIDTH = 16u;
constexpr std::uint32_t WEIGHT_FIELD_OUT_CHANNELS_WORD = 3u;
constexpr std::uint32_t WEIGHT_FIELD_OUT_CHANNELS_LSB = 16u;
constexpr std::uint32_t WEIGHT_FIELD_OUT_CHANNELS_WIDTH = 16u;
constexpr std::uint32_t WEIGHT_FIELD_GROUP_IN_WORD = 4u;
constexpr std::uint32_t WEIGHT_FIELD_GROUP_IN_LSB = 0u;
constexpr std::uint32_t WEIGHT_FIELD_GROUP_IN_WIDTH = 16u;
constexpr std::uint32_t WEIGHT_FIELD_GROUP_OUT_WORD = 4u;
constexpr std::uint32_t WEIGHT_FIELD_GROUP_OUT_LSB = 16u;
constexpr std::uint32_t WEIGHT_FIELD_GROUP_OUT_WIDTH = 16u;
constexpr std::uint32_t WEIGHT_FIELD_KERNEL_H_WORD = 5u;
constexpr std::uint32_t WEIGHT_FIELD_KERNEL_H_LSB = 0u;
constexpr std::uint32_t WEIGHT_FIELD_KERNEL_H_WIDTH = 8u;
constexpr std::uint32_t WEIGHT_FIELD_KERNEL_W_WORD = 5u;
constexpr std::uint32_t WEIGHT_FIELD_KERNEL_W_LSB = 8u;
constexpr std::uint32_t WEIGHT_FIELD_KERNEL_W_WIDTH = 8u;
constexpr std::uint32_t WEIGHT_FIELD_ACC_ADDR_WORD = 6u;
constexpr std::uint32_t WEIGHT_FIELD_ACC_ADDR_LSB = 0u;
constexpr std::uint32_t WEIGHT_FIELD_ACC_ADDR_WIDTH = 32u;
constexpr std::uint32_t WEIGHT_FIELD_W_ADDR_WORD = 7u;
constexpr std::uint32_t WEIGHT_FIELD_W_ADDR_LSB = 0u;
constexpr std::uint32_t WEIGHT_FIELD_W_ADDR_WIDTH = 32u;
constexpr std::uint32_t WEIGHT_FIELD_V_ADDR_WORD = 8u;
constexpr std::uint32_t WEIGHT_FIELD_V_ADDR_LSB = 0u;
constexpr std::uint32_t WEIGHT_FIELD_V_ADDR_WIDTH = 32u;
constexpr std::uint32_t WEIGHT_FIELD_MAX_OUT_ADDR_WORD = 9u;
constexpr std::uint32_t WEIGHT_FIELD_MAX_OUT_ADDR_LSB = 0u;
constexpr std::uint32_t WEIGHT_FIELD_MAX_OUT_ADDR_WIDTH = 32u;
constexpr std::uint32_t WEIGHT_FIELD_MAX_IN_ADDR_WORD = 10u;
constexpr std::uint32_t WEIGHT_FIELD_MAX_IN_ADDR_LSB = 0u;
constexpr std::uint32_t WEIGHT_FIELD_MAX_IN_ADDR_WIDTH = 32u;
constexpr std::uint32_t WEIGHT_FIELD_X_ADDR_WORD = 11u;
constexpr std::uint32_t WEIGHT_FIELD_X_ADDR_LSB = 0u;
constexpr std::uint32_t WEIGHT_FIELD_X_ADDR_WIDTH = 32u;
constexpr std::uint32_t WEIGHT_FIELD_E_ADDR_WORD = 12u;
constexpr std::uint32_t WEIGHT_FIELD_E_ADDR_LSB = 0u;
constexpr std::uint32_t WEIGHT_FIELD_E_ADDR_WIDTH = 32u;
constexpr std::uint32_t WEIGHT_FIELD_CODES_ADDR_WORD = 13u;
constexpr std::uint32_t WEIGHT_FIELD_CODES_ADDR_LSB = 0u;
constexpr std::uint32_t WEIGHT_FIELD_CODES_ADDR_WIDTH = 32u;
constexpr std::uint32_t WEIGHT_FIELD_CODES_IN_ADDR_WORD = 14u;
constexpr std::uint32_t WEIGHT_FIELD_CODES_IN_ADDR_LSB = 0u;
constexpr std::uint32_t WEIGHT_FIELD_CODES_IN_ADDR_WIDTH = 32u;
constexpr std::uint32_t WEIGHT_FIELD_UNITS_ADDR_WORD = 15u;
constexpr std::uint32_t WEIGHT_FIELD_UNITS_ADDR_LSB = 0u;
constexpr std::uint32_t WEIGHT_FIELD_UNITS_ADDR_WIDTH = 32u;
constexpr std::uint32_t WEIGHT_FIELD_UNITS_IN_ADDR_WORD = 16u;
constexpr std::uint32_t WEIGHT_FIELD_UNITS_IN_ADDR_LSB = 0u;
constexpr std::uint32_t WEIGHT_FIELD_UNITS_IN_ADDR_WIDTH = 32u;
constexpr std::uint32_t WEIGHT_FIELD_STEP_ADDR_WORD = 17u;
constexpr std::uint32_t WEIGHT_FIELD_STEP_ADDR_LSB = 0u;
constexpr std::uint32_t WEIGHT_FIELD_STEP_ADDR_WIDTH = 32u;
constexpr std::uint32_t TALLY_RECORD_BYTES = 32u;
constexpr std::uint32_t NORM_RECORD_BYTES = 64u;
constexpr std::uint32_t COEFFICIENTS_RECORD_BYTES = 32u;
constexpr std::uint32_t TENSOR_RECORD_BYTES = 0u;
constexpr std::uint32_t PARAMETERS_RECORD_BYTES = 32u;
constexpr std::uint32_t UNITS_RECORD_BYTES = 8u;
constexpr std::uint32_t MAXIMA_RECORD_BYTES = 4u;
constexpr std::uint32_t STEP_RECORD_BYTES = 0u;
constexpr std::uint32_t HEADER_KIND = 0u;
constexpr std::uint32_t HEADER_CHANNELS = 4u;
constexpr std::uint32_t TALLY_HEADER_COUNT = 8u;
constexpr std::uint32_t COEFFICIENTS_HEADER_K = 8u;
constexpr std::uint32_t COEFFICIENTS_HEADER_J = 12u;
constexpr std::uint32_t COEFFICIENTS_HEADER_MULTIPLIER = 16u;
constexpr std::uint32_t COEFFICIENTS_HEADER_SCALE_SHIFT = 20u;
constexpr std::uint32_t TENSOR_HEADER_STEP = 8u;
constexpr std::uint32_t TENSOR_HEADER_BOUND = 16u;
constexpr std::uint32_t TENSOR_HEADER_RATIO = 24u;
constexpr std::uint32_t TENSOR_HEADER_FRACTION = 32u;
constexpr std::uint32_t STEP_HEADER_SEED = 8u;
constexpr std::uint32_t STEP_HEADER_MOMENTUM = 16u;
constexpr std::uint32_t STEP_HEADER_WEIGHT_DECAY = 20u;
constexpr std::uint32_t STEP_HEADER_WEIGHT_RATE = 24u;
constexpr std::uint32_t STEP_HEADER_PARAMETER_DECAY = 28u;
constexpr std::uint32_t STEP_HEADER_PARAMETER_RATE = 32u;
constexpr std::uint32_t STEP_HEADER_KEEP = 40u;
constexpr std::uint32_t TALLY_RECORD_SUM = 0u;
constexpr std::uint32_t TALLY_RECORD_SECOND = 8u;
constexpr std::uint32_t TALLY_RECORD_LEAST = 16u;
constexpr std::uint32_t TALLY_RECORD_MOST = 20u;
constexpr std::uint32_t NORM_RECORD_MEAN = 0u;
constexpr std::uint32_t NORM_RECORD_RHO = 8u;
constexpr std::uint32_t NORM_RECORD_UNIT = 16u;
constexpr std::uint32_t NORM_RECORD_GAIN = 24u;
constexpr std::uint32_t NORM_RECORD_OFFSET = 32u;
constexpr std::uint32_t NORM_RECORD_TOP = 40u;
constexpr std::uint32_t NORM_RECORD_BOTTOM = 48u;
constexpr std::uint32_t COEFFICIENTS_RECORD_A = 0u;
constexpr std::uint32_t COEFFICIENTS_RECORD_C = 4u;
constexpr std::uint32_t COEFFICIENTS_RECORD_B = 8u;
constexpr std::uint32_t PARAMETERS_RECORD_GAMMA = 0u;
constexpr std::uint32_t PARAMETERS_RECORD_BETA = 4u;
constexpr std::uint32_t PARAMETERS_RECORD_GAMMA_VELOCITY = 8u;
constexpr std::uint32_t PARAMETERS_RECORD_BETA_VELOCITY = 12u;
constexpr std::uint32_t PARAMETERS_RECORD_MEAN = 16u;
constexpr std::uint32_t PARAMETERS_RECORD_VARIANCE = 24u;
constexpr std::uint32_t UNITS_RECORD_UNIT = 0u;
constexpr std::uint32_t MAXIMA_RECORD_MAXIMUM = 0u;

// Every field of a command: the prefix of its constants above, its name, and its name in them.
#define CPT_FIELDS(X) \
    X(FIELD, opcode, OPCODE) \
    X(FIELD, a_bits, A_BITS) \
    X(FIELD, b_bits, B_BITS) \
    X(FIELD, out_bits, OUT_BITS) \
    X(FIELD, flags, FLAGS) \
    X(FIELD, out_format, OUT_FORMAT) \
    X(FIELD, shift, SHIFT) \
    X(FIELD, tag, TAG) \
    X(FIELD, images, IMAGES) \
    X(FIELD, a_blocks, A_BLOCKS) \
    X(FIELD, y_blocks, Y_BLOCKS) \
    X(FIELD, a_height, A_HEIGHT) \
    X(FIELD, a_width, A_WIDTH) \
    X(FIELD, y_height, Y_HEIGHT) \
    X(FIELD, y_width, Y_WIDTH) \
    X(FIELD, kernel_h, KERNEL_H) \
    X(FIELD, kernel_w, KERNEL_W) \
    X(FIELD, stride_y, STRIDE_Y) \
    X(FIELD, stride_x, STRIDE_X) \
    X(FIELD, up_y, UP_Y) \
    X(FIELD, up_x, UP_X) \
    X(FIELD, pad_top, PAD_TOP) \
    X(FIELD, pad_left, PAD_LEFT) \
    X(FIELD, pad_bottom, PAD_BOTTOM) \
    X(FIELD, pad_right, PAD_RIGHT) \
    X(FIELD, a_addr, A_ADDR) \
    X(FIELD, a_image_stride, A_IMAGE_STRIDE) \
    X(FIELD, a_block_stride, A_BLOCK_STRIDE) \
    X(FIELD, b_addr, B_ADDR) \
    X(FIELD, b_image_stride, B_IMAGE_STRIDE) \
    X(FIELD, b_block_stride, B_BLOCK_STRIDE) \
    X(FIELD, out_addr, OUT_ADDR) \
    X(FIELD, out_image_stride, OUT_IMAGE_STRIDE) \
    X(FIELD, out_block_stride, OUT_BLOCK_STRIDE) \
    X(FIELD, sums_addr, SUMS_ADDR) \
    X(FIELD, seed_lo, SEED_LO) \
    X(FIELD, seed_hi, SEED_HI) \
    X(FIELD, tally_addr, TALLY_ADDR)
#define CPT_MAP_FIELDS(X) \
    X(MAP_FIELD, opcode, OPCODE) \
    X(MAP_FIELD, x0_bits, X0_BITS) \
    X(MAP_FIELD, x1_bits, X1_BITS) \
    X(MAP_FIELD, x2_bits, X2_BITS) \
    X(MAP_FIELD, flags, FLAGS) \
    X(MAP_FIELD, out0_bits, OUT0_BITS) \
    X(MAP_FIELD, out1_bits, OUT1_BITS) \
    X(MAP_FIELD, tag, TAG) \
    X(MAP_FIELD, images, IMAGES) \
    X(MAP_FIELD, blocks, BLOCKS) \
    X(MAP_FIELD, height, HEIGHT) \
    X(MAP_FIELD, width, WIDTH) \
    X(MAP_FIELD, x0_addr, X0_ADDR) \
    X(MAP_FIELD, x1_addr, X1_ADDR) \
    X(MAP_FIELD, x2_addr, X2_ADDR) \
    X(MAP_FIELD, mask_addr, MASK_ADDR) \
    X(MAP_FIELD, out0_addr, OUT0_ADDR) \
    X(MAP_FIELD, out1_addr, OUT1_ADDR) \
    X(MAP_FIELD, coefficients_addr, COEFFICIENTS_ADDR) \
    X(MAP_FIELD, tally_addr, TALLY_ADDR) \
    X(MAP_FIELD, step_addr, STEP_ADDR) \
    X(MAP_FIELD, seed_lo, SEED_LO) \
    X(MAP_FIELD, seed_hi, SEED_HI)
#define CPT_SCALAR_FIELDS(X) \
    X(SCALAR_FIELD, opcode, OPCODE) \
    X(SCALAR_FIELD, bits, BITS) \
    X(SCALAR_FIELD, wide_bits, WIDE_BITS) \
    X(SCALAR_FIELD, shift, SHIFT) \
    X(SCALAR_FIELD, flags, FLAGS) \
    X(SCALAR_FIELD, shift1, SHIFT1) \
    X(SCALAR_FIELD, tag, TAG) \
    X(SCALAR_FIELD, images, IMAGES) \
    X(SCALAR_FIELD, channels, CHANNELS) \
    X(SCALAR_FIELD, height, HEIGHT) \
    X(SCALAR_FIELD, width, WIDTH) \
    X(SCALAR_FIELD, tally_addr, TALLY_ADDR) \
    X(SCALAR_FIELD, tally1_addr, TALLY1_ADDR) \
    X(SCALAR_FIELD, norm_addr, NORM_ADDR) \
    X(SCALAR_FIELD, norm1_addr, NORM1_ADDR) \
    X(SCALAR_FIELD, parameters_addr, PARAMETERS_ADDR) \
    X(SCALAR_FIELD, units_addr, UNITS_ADDR) \
    X(SCALAR_FIELD, units1_addr, UNITS1_ADDR) \
    X(SCALAR_FIELD, in_addr, IN_ADDR) \
    X(SCALAR_FIELD, in1_addr, IN1_ADDR) \
    X(SCALAR_FIELD, out_addr, OUT_ADDR) \
    X(SCALAR_FIELD, coefficients_addr, COEFFICIENTS_ADDR) \
    X(SCALAR_FIELD, step_addr, STEP_ADDR)
#define CPT_WEIGHT_FIELDS(X) \
    X(WEIGHT_FIELD, opcode, OPCODE) \
    X(WEIGHT_FIELD, bits, BITS) \
    X(WEIGHT_FIELD, acc_format, ACC_FORMAT) \
    X(WEIGHT_FIELD, flags, FLAGS) \
    X(WEIGHT_FIELD, tag, TAG) \
    X(WEIGHT_FIELD, in_channels, IN_CHANNELS) \
    X(WEIGHT_FIELD, out_channels, OUT_CHANNELS) \
    X(WEIGHT_FIELD, group_in, GROUP_IN) \
    X(WEIGHT_FIELD, group_out, GROUP_OUT) \
    X(WEIGHT_FIELD, kernel_h, KERNEL_H) \
    X(WEIGHT_FIELD, kernel_w, KERNEL_W) \
    X(WEIGHT_FIELD, acc_addr, ACC_ADDR) \
    X(WEIGHT_FIELD, w_addr, W_ADDR) \
    X(WEIGHT_FIELD, v_addr, V_ADDR) \
    X(WEIGHT_FIELD, max_out_addr, MAX_OUT_ADDR) \
    X(WEIGHT_FIELD, max_in_addr, MAX_IN_ADDR) \
    X(WEIGHT_FIELD, x_addr, X_ADDR) \
    X(WEIGHT_FIELD, e_addr, E_ADDR) \
    X(WEIGHT_FIELD, codes_addr, CODES_ADDR) \
    X(WEIGHT_FIELD, codes_in_addr, CODES_IN_ADDR) \
    X(WEIGHT_FIELD, units_addr, UNITS_ADDR) \
    X(WEIGHT_FIELD, units_in_addr, UNITS_IN_ADDR) \
    X(WEIGHT_FIELD, step_addr, STEP_ADDR)

// The bits of field `flags` that have a meaning.
constexpr std::uint32_t DEFINED_FLAGS =
    1u << FLAG_A_SIGNED
    | 1u << FLAG_B_SIGNED
    | 1u << FLAG_OUT_SIGNED
    | 1u << FLAG_STOCHASTIC
    | 1u << FLAG_ROW_SUMS
    | 1u << FLAG_HALF
    | 1u << FLAG_STATS;
constexpr std::uint32_t DEFINED_MAP_FLAGS =
    1u << MAP_FLAG_X0_SIGNED
    | 1u << MAP_FLAG_X1_SIGNED
    | 1u << MAP_FLAG_OUT_SIGNED
    | 1u << MAP_FLAG_STOCHASTIC
    | 1u << MAP_FLAG_TALLY
    | 1u << MAP_FLAG_BROADCAST
    | 1u << MAP_FLAG_MASK_X0
    | 1u << MAP_FLAG_MASK_OUT
    | 1u << MAP_FLAG_MASK_WRITE;
constexpr std::uint32_t DEFINED_SCALAR_FLAGS =
    1u << SCALAR_FLAG_EVALUATE
    | 1u << SCALAR_FLAG_RELU
    | 1u << SCALAR_FLAG_NODE
    | 1u << SCALAR_FLAG_STREAM
    | 1u << SCALAR_FLAG_BRANCH
    | 1u << SCALAR_FLAG_POWER;
constexpr std::uint32_t DEFINED_WEIGHT_FLAGS =
    1u << WEIGHT_FLAG_HALF
    | 1u << WEIGHT_FLAG_BOTH;

/// The parameters of a build.
struct Build {
    std::uint32_t lanes;
    std::uint32_t columns;
    std::uint32_t slice_groups;
    std::uint32_t lane_words;
    std::uint32_t column_words;
    std::uint32_t row_words;
    std::uint32_t bus_bytes;
};

constexpr Build BUILD_TINY = {16u, 16u, 3u, 2048u, 512u, 256u, 8u};
constexpr Build BUILD_ZC706 = {48u, 16u, 9u, 12288u, 512u, 1024u, 64u};
constexpr Build BUILD_HLS = {16u, 16u, 3u, 12288u, 1536u, 1024u, 32u};
constexpr Build BUILD_ZC706_TRAIN = {32u, 16u, 9u, 8192u, 512u, 1024u, 64u};

/// The builds under the names they have on a command line.
namespace builds {
constexpr Build tiny = BUILD_TINY;
constexpr Build zc706 = BUILD_ZC706;
constexpr Build hls = BUILD_HLS;
constexpr Build zc706_train = BUILD_ZC706_TRAIN;
}  // namespace builds

/// True when every parameter of a build is in its legal range.
constexpr bool legal(const Build& c) {
    return c.lanes >= 16 && c.lanes <= 256
        && c.lanes % 16 == 0
        && c.columns >= 16 && c.columns <= 16
        && c.slice_groups >= 1 && c.slice_groups <= 64
        && c.lane_words >= 64 && c.lane_words <= 1048576
        && c.column_words >= 16 && c.column_words <= 65536
        && c.row_words >= 16 && c.row_words <= 65536
        && c.bus_bytes >= 8 && c.bus_bytes <= 64
        && 64 % c.bus_bytes == 0;
}

}  // namespace cpt
