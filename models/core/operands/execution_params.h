// SPDX-License-Identifier: Apache-2.0
// Where and for how long instructions execute: the units of a core, and what a machine knows of each operation.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "warpfold/common/config/params.h"
#include "warpfold/isa/kernel.h"

namespace warpfold {

// Units of a core besides the SIMD units, of which each scheduler has one. n of a kind for s schedulers: each serves
// s / n neighbouring ones, and in a cycle in which several ask, the one that took a shared unit last goes last.
struct UnitParams {
  unsigned integer = 0;
  unsigned sfu = 0;
  unsigned fp64 = 0;
  unsigned memory = 0;

  static constexpr auto fields() {
    using P = UnitParams;
    return std::tuple{field("integer", "", &P::integer, 0, 16,
                            "integer units of the core, as wide as the SIMD units; 0: the SIMD units take integers"),
                      field("sfu", "", &P::sfu, 0, 16, "special function units of the core; 0: one per scheduler"),
                      field("fp64", "", &P::fp64, 0, 16, "double precision units of the core; 0: one per scheduler"),
                      field("memory", "", &P::memory, 0, 16,
                            "ways to the load/store unit, which full holds up memory instructions alone; 0: the SIMD "
                            "pipelines, which it then holds up (TBC §2.2)")};
  }
};

// Which unit executes an operation. own: the SIMD units integers, single precision and control, the special function
// units division and special functions, the double precision units all that is double, a unit of its own what a plug-in
// brings.
enum class OperationUnit : std::uint8_t { kOwn, kSimd, kInteger, kSfu, kFp64 };
template <>
struct Choices<OperationUnit> {
  static constexpr std::array names{"own", "simd", "integer", "sfu", "fp64"};
};

struct OperationParams {
  OperationUnit unit = OperationUnit::kOwn;
  unsigned latency_cycles = 0;
  unsigned interval_cycles = 0;

  static constexpr auto fields() {
    using P = OperationParams;
    return std::tuple{choice("unit", &P::unit, "that executes it"),
                      field("latency_cycles", "cycles", &P::latency_cycles, 0, 1000,
                            "issue to write-back of its first lanes; 0: its unit's"),
                      field("interval_cycles", "cycles", &P::interval_cycles, 0, 1000,
                            "for which it holds its unit at least; 0: as its lanes take")};
  }
};

// By isa::Operation.
struct OperationTable {
  OperationParams int_add, int_max, int_mul, int_mad, int_div;
  OperationParams fp_add, fp_max, fp_mul, fp_mad, fp_div;
  OperationParams dp_add, dp_max, dp_mul, dp_mad, dp_div;
  OperationParams half, special, shuffle, matrix, control, other, custom;

  // Halves are single precision's where nothing is said of them.
  const OperationParams& of(isa::Operation operation) const {
    const bool halves = operation >= isa::Operation::kHpAdd && operation <= isa::Operation::kHpMad;
    if (halves && half.latency_cycles != 0) return half;
    using P = OperationTable;
    static constexpr std::array<OperationParams P::*, isa::kOperations> kMembers{
        &P::int_add, &P::int_max, &P::int_mul, &P::int_mad, &P::int_div, &P::fp_add, &P::fp_max, &P::fp_mul, &P::fp_mad,
        &P::fp_div,  &P::dp_add,  &P::dp_max,  &P::dp_mul,  &P::dp_mad,  &P::dp_div, &P::fp_add, &P::fp_max, &P::fp_mul,
        &P::fp_mad,  &P::special, &P::shuffle, &P::matrix,  &P::control, &P::other,  &P::custom};
    return this->*kMembers[static_cast<unsigned>(operation)];
  }

  static constexpr auto fields() {
    using P = OperationTable;
    return std::tuple{
        section("int_add", &P::int_add, "integer addition, subtraction"),
        section("int_max", &P::int_max, "integer minimum, maximum"),
        section("int_mul", &P::int_mul, "integer multiplication"),
        section("int_mad", &P::int_mad, "integer multiply-add"),
        section("int_div", &P::int_div, "integer division, remainder"),
        section("fp_add", &P::fp_add, "single precision addition, subtraction"),
        section("fp_max", &P::fp_max, "single precision minimum, maximum"),
        section("fp_mul", &P::fp_mul, "single precision multiplication"),
        section("fp_mad", &P::fp_mad, "single precision multiply-add, fused or not"),
        section("fp_div", &P::fp_div, "single precision division"),
        section("dp_add", &P::dp_add, "double precision addition, subtraction"),
        section("dp_max", &P::dp_max, "double precision minimum, maximum"),
        section("dp_mul", &P::dp_mul, "double precision multiplication"),
        section("dp_mad", &P::dp_mad, "double precision multiply-add"),
        section("dp_div", &P::dp_div, "double precision division"),
        optional_section("half", &P::half, "arithmetic of numbers of 16 bits; latency 0: as single precision"),
        section("special", &P::special, "roots, reciprocals, sines and the like"),
        section("shuffle", &P::shuffle, "between the lanes of a warp"),
        section("matrix", &P::matrix, "one step of mma and wmma: 16 x 8 x 8 halves or as much of other types"),
        section("control", &P::control, "branches, barriers, fences, ends"),
        section("other", &P::other, "moves, logic, shifts, comparisons, conversions, votes"),
        optional_section("custom", &P::custom, "instructions of plug-ins; latency 0, interval 0: as these say")};
  }
};

}  // namespace warpfold
