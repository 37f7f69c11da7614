// SPDX-License-Identifier: Apache-2.0
// Lists of ports of `run --rtl-block`, up to where RTL would be built.
#include "tb/cosim/hung_block.h"
#include "tests/fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpfold;
  static const fuzz::Folder folder;
  const std::string path = folder.write("ports.yaml", fuzz::text_of(data, size));
  std::string text;
  if (!fuzz::accepted([&] { text = cosim::hung_blocks_text("my.sv:" + path); })) return 0;
  fuzz::accepted([&] {
    for (const RtlOptions::Block& block : RtlOptions::parse(text, "--rtl")) {
      if (!cosim::is_hung(block.name)) fuzz::broken("a block that hangs on the core is taken for another");
      for (const auto& [port, signal] : cosim::hung_block(block, 32).inputs) {
        if (port.empty() || signal >= cosim::CoreSignal::kCount) fuzz::broken("a port of nothing");
      }
    }
  });
  return 0;
}
