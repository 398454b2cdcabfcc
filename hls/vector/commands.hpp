// The commands of the vector unit: their fields, each as wide as in its word (contract, sections 8 to 10).
#pragma once

#include "../command.hpp"

namespace cpt {

/// The integer of a field's width; all have 8, 16 or 32 bits.
template <std::uint32_t WIDTH>
struct field_type {};
template <>
struct field_type<8> { typedef std::uint8_t type; };
template <>
struct field_type<16> { typedef std::uint16_t type; };
template <>
struct field_type<32> { typedef std::uint32_t type; };

#define CPT_NARROW_MEMBER(TABLE, name, NAME) field_type<TABLE##_##NAME##_WIDTH>::type name;

/// MAP: one pass over a map.
struct MapCommand {
    CPT_MAP_FIELDS(CPT_NARROW_MEMBER)
    static constexpr std::uint32_t DEFINED = DEFINED_MAP_FLAGS;
    static constexpr std::uint32_t field_bits(std::uint32_t word) { return 0 CPT_MAP_FIELDS(CPT_COVER); }

    bool flag(std::uint32_t number) const { return (flags >> number) & 1; }
    bool reads_mask() const { return flag(MAP_FLAG_MASK_X0) || flag(MAP_FLAG_MASK_OUT); }
};

/// NORM, SCALE, JOIN or ERROR: the scalar unit on the channels of a map.
struct ScalarCommand {
    CPT_SCALAR_FIELDS(CPT_NARROW_MEMBER)
    static constexpr std::uint32_t DEFINED = DEFINED_SCALAR_FLAGS;
    static constexpr std::uint32_t field_bits(std::uint32_t word) { return 0 CPT_SCALAR_FIELDS(CPT_COVER); }

    bool flag(std::uint32_t number) const { return (flags >> number) & 1; }
};

/// UPDATE or WEIGHTS: the master weights of a layer.
struct WeightCommand {
    CPT_WEIGHT_FIELDS(CPT_NARROW_MEMBER)
    static constexpr std::uint32_t DEFINED = DEFINED_WEIGHT_FLAGS;
    static constexpr std::uint32_t field_bits(std::uint32_t word) { return 0 CPT_WEIGHT_FIELDS(CPT_COVER); }

    bool flag(std::uint32_t number) const { return (flags >> number) & 1; }
};

#undef CPT_NARROW_MEMBER

inline MapCommand decode_map(const std::uint32_t words[COMMAND_WORDS]) {
    MapCommand command;
    CPT_MAP_FIELDS(CPT_DECODE)
    return command;
}

inline ScalarCommand decode_scalar(const std::uint32_t words[COMMAND_WORDS]) {
    ScalarCommand command;
    CPT_SCALAR_FIELDS(CPT_DECODE)
    return command;
}

inline WeightCommand decode_weights(const std::uint32_t words[COMMAND_WORDS]) {
    WeightCommand command;
    CPT_WEIGHT_FIELDS(CPT_DECODE)
    return command;
}

}  // namespace cpt
