// SPDX-License-Identifier: Apache-2.0
// Files of execution masks, of programs of any simulator or machine (Intra-warp §5.1). docs/intra-warp.md has the
// format. What an instruction takes is a function of its mask and type alone, so equal ones are counted together.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warpfold/divergence/packing/mask_totals.h"

namespace warpfold::divergence {

// What the first line says: the lanes of an instruction, and those that a unit takes per cycle, of 32 bits each. Both
// hold where a record does not say otherwise.
struct MaskTraceShape {
  unsigned width = 32, lanes = 8;
  // Lanes of a type that a unit takes per cycle: types regroup lanes (Intra-warp §4.1).
  unsigned lanes_of(unsigned bits) const;
};

// Takes a record of a kernel, "" before the first that is named; why it cannot, or nothing.
using TakeMask = std::function<std::string(const std::string& kernel, const MaskRecord&)>;

// Reads a trace line by line, whatever its length. UserError, one line with file and line number, for what is no trace
// and what is not taken.
void read_mask_trace(const std::string& path, const TakeMask& take);

// Writes a trace; the file has its name once it is whole. Memory stays bounded: what has been counted goes to the file
// when there are many different masks.
class MaskTraceWriter {
 public:
  MaskTraceWriter(std::string path, const MaskTraceShape& shape, std::size_t most_masks = std::size_t{1} << 18);
  ~MaskTraceWriter();
  MaskTraceWriter(const MaskTraceWriter&) = delete;
  MaskTraceWriter& operator=(const MaskTraceWriter&) = delete;

  void kernel_started(const std::string& name);  // of the records that follow
  // An instruction; the record's count is not asked for.
  void add(const LanesOnUnit& lanes, unsigned bits);
  // WriteError if the file could not be written. Once more does nothing.
  void close();

 private:
  struct Key {
    isa::LaneMask mask;
    std::uint32_t kernel;
    std::uint8_t width, bits, lanes;
    auto operator<=>(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  void write_counts();
  void write(std::string_view text);
  void give_up();  // what is not whole goes

  const std::string path_;
  std::string part_;  // what is written; the path itself where that is no regular file
  const MaskTraceShape shape_;
  const std::size_t most_masks_;
  int file_ = -1;
  std::string header_;                            // until it has been written
  std::map<std::string, std::uint32_t> numbers_;  // of kernels
  std::vector<std::string> names_;
  std::uint32_t kernel_ = 0;
  std::unordered_map<Key, std::uint64_t, Hash> counts_;
};

}  // namespace warpfold::divergence
