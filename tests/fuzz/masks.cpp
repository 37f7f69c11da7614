// SPDX-License-Identifier: Apache-2.0
// Mask traces as `warpfold masks` reads them. What is taken, written again, is read as the same.
#include "tests/fuzz/harness.h"
#include "warpfold/divergence/packing/mask_trace.h"

namespace warpfold {
namespace {

using divergence::MaskTotals;

constexpr std::uint64_t kMostWritten = 1000;  // of a record: the writer takes one instruction at a time

MaskTotals read(const std::string& path, divergence::MaskTraceWriter* copy, MaskTotals* copied) {
  MaskTotals totals;
  divergence::read_mask_trace(path, [&](const std::string& kernel, const divergence::MaskRecord& record) {
    if (!totals.add(record)) return "too many";
    if (copy == nullptr || record.count > kMostWritten) return "";
    copy->kernel_started(kernel.empty() ? "k" : kernel);
    for (std::uint64_t n = 0; n < record.count; ++n) copy->add(record.lanes, record.bits);
    if (!copied->add(record)) fuzz::broken("a part of what fits does not fit");
    return "";
  });
  return totals;
}

}  // namespace
}  // namespace warpfold

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpfold;
  static const fuzz::Folder folder;
  const std::string path = folder.write("in.masks", fuzz::text_of(data, size)), written = folder.path() / "out.masks";
  divergence::MaskTraceWriter writer(written, {64, 4}, 16);
  MaskTotals expected;
  if (!fuzz::accepted([&] { read(path, &writer, &expected); })) return 0;
  writer.close();
  MaskTotals totals;
  if (!fuzz::accepted([&] { totals = read(written, nullptr, nullptr); })) fuzz::broken("what was written is refused");
  if (totals.utilisation() != expected.utilisation()) fuzz::broken("what was written is another trace");
  return 0;
}
