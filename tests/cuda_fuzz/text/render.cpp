// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda_fuzz/text/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tests/cuda_fuzz/text/kernel_text.h"

namespace warpfold::cuda_fuzz {

Text render(const Kernel& kernel, const std::string& name) {
  Text text = KernelText(kernel, name).make();
  text.launches = kernel.launches;
  text.way = kernel.seed;
  return text;
}

std::string translation_unit(const std::vector<Text>& kernels) {
  std::string text = "#include \"kernels.h\"\n";
  for (const Text& kernel : kernels) text += "\n" + kernel.code;
  text += "\nGeneratedKernel generated_kernels[] = {\n";
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    text += fmt::format("    {{\"k{0}\", {1}, {2}, (Way)({3}u % kWays), launch_k{0}}},\n", i, kernels[i].out_bytes,
                        kernels[i].launches, kernels[i].way);
  }
  return text + "};\n";
}

std::string difference(const Kernel& kernel, const Text& text, const std::string& expected, const std::string& found) {
  auto at = static_cast<std::size_t>(std::mismatch(expected.begin(), expected.end(), found.begin(), found.end()).first -
                                     expected.begin());
  if (at == expected.size() && expected.size() == found.size()) return "";
  const std::size_t launch = at / text.out_bytes, first = launch * text.out_bytes;
  const std::string of_launch = text.launches > 1 ? fmt::format(" of launch {}", launch) : "";
  at -= first;
  for (const Region& region : text.regions) {
    const std::size_t element = (at - region.offset) / region.element_bytes;
    if (at < region.offset || element >= region.elements) continue;
    const std::size_t start = region.offset + element * region.element_bytes;
    std::uint64_t wanted = 0, is = 0;
    std::memcpy(&wanted, expected.data() + first + start, region.element_bytes);
    std::memcpy(&is, found.data() + first + start,
                std::min<std::size_t>(region.element_bytes, found.size() - first - start));
    const unsigned threads = kernel.shape.block_threads();
    const std::string place = region.per_thread ? fmt::format("{} of thread {} of block {}", region.name,
                                                              element % threads, element / threads)
                                                : fmt::format("{}[{}]", region.name, element);
    return fmt::format("{}{}: {:#x} instead of {:#x}", place, of_launch, is, wanted);
  }
  return fmt::format("byte {} of {}", first + at, expected.size());
}

}  // namespace warpfold::cuda_fuzz
