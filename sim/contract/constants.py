"""Generated from sim/contract/contract.toml by `cpt constants --write`; do not edit."""

from enum import IntEnum

VERSION_MAGIC = 1129337905
VERSION_MAJOR = 2
VERSION_MINOR = 0
CHANNEL_BLOCK = 16
MAX_OPERAND_BITS = 16
MAX_OUT_BITS = 16
ACCUMULATOR_BITS = 48
MAX_SHIFT = 47
COMMAND_BYTES = 128
COMMAND_WORDS = 32
LIST_ALIGNMENT = 64
ADDRESS_BITS = 32
TENSOR_ALIGNMENT = 64
MAX_IMAGES = 65535
MAX_BLOCKS = 4095
MAX_EXTENT = 4095
MAX_KERNEL = 15
MAX_STEP = 15
MAX_PADDING = 31
MAX_COUNT = 1048576
TALLY_SUM_BITS = 37
TALLY_SECOND_BITS = 53
TALLY_CODE_BITS = 17
COEFFICIENT_BITS = 25
MAX_MAP_SHIFT = 30
MAX_SCALE_SHIFT = 47
SCALAR_BITS = 31
MAX_EXPONENT = 16384
NO_COMMAND = 4294967295
NOISE_SALT_0 = 2654435769
NOISE_SALT_1 = 2246822507
OVERLAY_VLNV = "cpt-kit:kernel:cpt_kernel:1.0"
OVERLAY_NAME = "cpt"
OVERLAY_CELL = "cpt_kernel"
OVERLAY_PL_MEMORY = "pl_ddr3"
OVERLAY_PART = "xc7z045ffg900-2"
OVERLAY_CLOCK_MHZ = 200
OVERLAY_CONTROL_BYTES = 4096
OVERLAY_RTL_BUILDS = "tiny zc706 zc706_train"
OVERLAY_HLS_BUILDS = "tiny zc706 hls"
BOARD_BYTES_PER_CYCLE = 50.0
BOARD_ARM_BYTES_PER_CYCLE = 17.0
BOARD_LATENCY_CYCLES = 60


class Feature(IntEnum):
    VECTOR_UNIT = 0


class Opcode(IntEnum):
    CONV = 1
    WGRAD = 2
    MAP = 3
    NORM = 4
    SCALE = 5
    JOIN = 6
    ERROR = 7
    UPDATE = 8
    WEIGHTS = 9


class Format(IntEnum):
    INT16 = 0
    INT32 = 1
    INT64 = 2
    PLANES = 3


class Flag(IntEnum):
    A_SIGNED = 0
    B_SIGNED = 1
    OUT_SIGNED = 2
    STOCHASTIC = 3
    ROW_SUMS = 4
    HALF = 5
    STATS = 6


class MapFlag(IntEnum):
    X0_SIGNED = 0
    X1_SIGNED = 1
    OUT_SIGNED = 2
    STOCHASTIC = 3
    TALLY = 4
    BROADCAST = 5
    MASK_X0 = 6
    MASK_OUT = 7
    MASK_WRITE = 8


class ScalarFlag(IntEnum):
    EVALUATE = 0
    RELU = 1
    NODE = 2
    STREAM = 3
    BRANCH = 4
    POWER = 5


class WeightFlag(IntEnum):
    HALF = 0
    BOTH = 1


class Block(IntEnum):
    TALLY = 1498172481
    NORM = 1297239886
    COEFFICIENTS = 1178947395
    TENSOR = 1397638484
    PARAMETERS = 1095909712
    UNITS = 1414090325
    MAXIMA = 1230520653
    STEP = 1346720851


class Error(IntEnum):
    OK = 0
    LIST_ALIGNMENT = 1
    LIST_TRUNCATED = 2
    LIST_RANGE = 3
    OPCODE = 16
    RESERVED = 17
    WIDTH = 18
    FORMAT = 19
    SHAPE = 20
    UNSUPPORTED = 21
    OVERFLOW = 22
    CAPACITY = 23
    ALIGNMENT = 24
    STRIDE = 25
    RANGE = 26
    OVERLAP = 27
    COEFFICIENTS = 28
    READ_BUS = 48
    WRITE_BUS = 49


class Register(IntEnum):
    AP_CTRL = 0
    GIER = 4
    IER = 8
    ISR = 12
    MEM_BASE = 16
    MEM_BYTES = 32
    LIST_OFFSET = 40
    LIST_BYTES = 48
    STATUS = 64
    ERROR_INDEX = 80
    COMMANDS_DONE = 96
    CYCLES_TOTAL = 112
    CYCLES_BUSY = 128
    CYCLES_LOAD_STALL = 144
    CYCLES_STORE_STALL = 160
    MAGIC = 176
    VERSION = 192
    LANES = 208
    COLUMNS = 224
    SLICE_GROUPS = 240
    LANE_WORDS = 256
    COLUMN_WORDS = 272
    ROW_WORDS = 288
    BUS_BYTES = 304
    FEATURES = 320


class ApCtrl(IntEnum):
    START = 0
    DONE = 1
    IDLE = 2
    READY = 3
    AUTO_RESTART = 7
    SW_RESET = 8
    INTERRUPT = 9


class Irq(IntEnum):
    DONE = 0
    READY = 1


# name: (word of the command, lowest bit, width)
FIELDS: dict[str, tuple[int, int, int]] = {
    "opcode": (0, 0, 8),
    "a_bits": (0, 8, 8),
    "b_bits": (0, 16, 8),
    "out_bits": (0, 24, 8),
    "flags": (1, 0, 8),
    "out_format": (1, 8, 8),
    "shift": (1, 16, 8),
    "tag": (2, 0, 32),
    "images": (3, 0, 16),
    "a_blocks": (4, 0, 16),
    "y_blocks": (4, 16, 16),
    "a_height": (5, 0, 16),
    "a_width": (5, 16, 16),
    "y_height": (6, 0, 16),
    "y_width": (6, 16, 16),
    "kernel_h": (7, 0, 8),
    "kernel_w": (7, 8, 8),
    "stride_y": (7, 16, 8),
    "stride_x": (7, 24, 8),
    "up_y": (8, 0, 8),
    "up_x": (8, 8, 8),
    "pad_top": (9, 0, 8),
    "pad_left": (9, 8, 8),
    "pad_bottom": (9, 16, 8),
    "pad_right": (9, 24, 8),
    "a_addr": (10, 0, 32),
    "a_image_stride": (11, 0, 32),
    "a_block_stride": (12, 0, 32),
    "b_addr": (13, 0, 32),
    "b_image_stride": (14, 0, 32),
    "b_block_stride": (15, 0, 32),
    "out_addr": (16, 0, 32),
    "out_image_stride": (17, 0, 32),
    "out_block_stride": (18, 0, 32),
    "sums_addr": (19, 0, 32),
    "seed_lo": (20, 0, 32),
    "seed_hi": (21, 0, 32),
    "tally_addr": (22, 0, 32),
}
MAP_FIELDS: dict[str, tuple[int, int, int]] = {
    "opcode": (0, 0, 8),
    "x0_bits": (0, 8, 8),
    "x1_bits": (0, 16, 8),
    "x2_bits": (0, 24, 8),
    "flags": (1, 0, 16),
    "out0_bits": (1, 16, 8),
    "out1_bits": (1, 24, 8),
    "tag": (2, 0, 32),
    "images": (3, 0, 16),
    "blocks": (4, 0, 16),
    "height": (5, 0, 16),
    "width": (5, 16, 16),
    "x0_addr": (6, 0, 32),
    "x1_addr": (7, 0, 32),
    "x2_addr": (8, 0, 32),
    "mask_addr": (9, 0, 32),
    "out0_addr": (10, 0, 32),
    "out1_addr": (11, 0, 32),
    "coefficients_addr": (12, 0, 32),
    "tally_addr": (13, 0, 32),
    "step_addr": (14, 0, 32),
    "seed_lo": (15, 0, 32),
    "seed_hi": (16, 0, 32),
}
SCALAR_FIELDS: dict[str, tuple[int, int, int]] = {
    "opcode": (0, 0, 8),
    "bits": (0, 8, 8),
    "wide_bits": (0, 16, 8),
    "shift": (0, 24, 8),
    "flags": (1, 0, 16),
    "shift1": (1, 16, 8),
    "tag": (2, 0, 32),
    "images": (3, 0, 16),
    "channels": (4, 0, 16),
    "height": (5, 0, 16),
    "width": (5, 16, 16),
    "tally_addr": (6, 0, 32),
    "tally1_addr": (7, 0, 32),
    "norm_addr": (8, 0, 32),
    "norm1_addr": (9, 0, 32),
    "parameters_addr": (10, 0, 32),
    "units_addr": (11, 0, 32),
    "units1_addr": (12, 0, 32),
    "in_addr": (13, 0, 32),
    "in1_addr": (14, 0, 32),
    "out_addr": (15, 0, 32),
    "coefficients_addr": (16, 0, 32),
    "step_addr": (17, 0, 32),
}
WEIGHT_FIELDS: dict[str, tuple[int, int, int]] = {
    "opcode": (0, 0, 8),
    "bits": (0, 8, 8),
    "acc_format": (0, 16, 8),
    "flags": (1, 0, 16),
    "tag": (2, 0, 32),
    "in_channels": (3, 0, 16),
    "out_channels": (3, 16, 16),
    "group_in": (4, 0, 16),
    "group_out": (4, 16, 16),
    "kernel_h": (5, 0, 8),
    "kernel_w": (5, 8, 8),
    "acc_addr": (6, 0, 32),
    "w_addr": (7, 0, 32),
    "v_addr": (8, 0, 32),
    "max_out_addr": (9, 0, 32),
    "max_in_addr": (10, 0, 32),
    "x_addr": (11, 0, 32),
    "e_addr": (12, 0, 32),
    "codes_addr": (13, 0, 32),
    "codes_in_addr": (14, 0, 32),
    "units_addr": (15, 0, 32),
    "units_in_addr": (16, 0, 32),
    "step_addr": (17, 0, 32),
}

RECORD_BYTES: dict[str, int] = {
    "tally": 32,
    "norm": 64,
    "coefficients": 32,
    "tensor": 0,
    "parameters": 32,
    "units": 8,
    "maxima": 4,
    "step": 0,
}

# kind: {name: (byte from the start, type)}
BLOCK_HEADER: dict[str, dict[str, tuple[int, str]]] = {
    "every": {
        "kind": (0, "u32"),
        "channels": (4, "u32"),
    },
    "tally": {
        "count": (8, "u32"),
    },
    "coefficients": {
        "k": (8, "i32"),
        "j": (12, "i32"),
        "multiplier": (16, "i32"),
        "scale_shift": (20, "i32"),
    },
    "tensor": {
        "step": (8, "scalar"),
        "bound": (16, "scalar"),
        "ratio": (24, "scalar"),
        "fraction": (32, "i32"),
    },
    "step": {
        "seed": (8, "u64"),
        "momentum": (16, "u32"),
        "weight_decay": (20, "u32"),
        "weight_rate": (24, "u32"),
        "parameter_decay": (28, "u32"),
        "parameter_rate": (32, "u32"),
        "keep": (40, "scalar"),
    },
}
BLOCK_RECORD: dict[str, dict[str, tuple[int, str]]] = {
    "tally": {
        "sum": (0, "i64"),
        "second": (8, "i64"),
        "least": (16, "i32"),
        "most": (20, "i32"),
    },
    "norm": {
        "mean": (0, "scalar"),
        "rho": (8, "scalar"),
        "unit": (16, "scalar"),
        "gain": (24, "scalar"),
        "offset": (32, "scalar"),
        "top": (40, "scalar"),
        "bottom": (48, "scalar"),
    },
    "coefficients": {
        "a": (0, "i32"),
        "c": (4, "i32"),
        "b": (8, "i64"),
    },
    "parameters": {
        "gamma": (0, "i32"),
        "beta": (4, "i32"),
        "gamma_velocity": (8, "i32"),
        "beta_velocity": (12, "i32"),
        "mean": (16, "scalar"),
        "variance": (24, "scalar"),
    },
    "units": {
        "unit": (0, "scalar"),
    },
    "maxima": {
        "maximum": (0, "i32"),
    },
}

BUILDS: dict[str, dict[str, int]] = {
    "tiny": {
        "lanes": 16,
        "columns": 16,
        "slice_groups": 3,
        "lane_words": 2048,
        "column_words": 512,
        "row_words": 256,
        "bus_bytes": 8,
    },
    "zc706": {
        "lanes": 48,
        "columns": 16,
        "slice_groups": 9,
        "lane_words": 12288,
        "column_words": 512,
        "row_words": 1024,
        "bus_bytes": 64,
    },
    "hls": {
        "lanes": 16,
        "columns": 16,
        "slice_groups": 3,
        "lane_words": 12288,
        "column_words": 1536,
        "row_words": 1024,
        "bus_bytes": 32,
    },
    "zc706_train": {
        "lanes": 32,
        "columns": 16,
        "slice_groups": 9,
        "lane_words": 8192,
        "column_words": 512,
        "row_words": 1024,
        "bus_bytes": 64,
    },
}

# name: (least, most, what it must divide; 0 for nothing, what it must be a multiple of)
BUILD_RANGES: dict[str, tuple[int, int, int, int]] = {
    "lanes": (16, 256, 0, 16),
    "columns": (16, 16, 0, 1),
    "slice_groups": (1, 64, 0, 1),
    "lane_words": (64, 1048576, 0, 1),
    "column_words": (16, 65536, 0, 1),
    "row_words": (16, 65536, 0, 1),
    "bus_bytes": (8, 64, 64, 1),
}
