// SPDX-License-Identifier: Apache-2.0
// Launch descriptions (warpfold run --ptx k.ptx LAUNCH.yaml) up to the launch, and the checks and outputs behind it.
// The device runs nothing, and no output file is written: its name is the input's.
#include <sstream>

#include "tests/fuzz/harness.h"
#include "tests/fuzz/idle_device.h"
#include "warpfold/host/launch_file/ptx_launch.h"

namespace warpfold {
namespace {

constexpr const char* kPtx = R"(.version 6.3
.target sm_70
.address_size 64
.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)
{
  ret;
}
.visible .entry bounded(.param .align 8 .b8 pair[16]) .maxntid 64, 2, 1
{
  .shared .align 4 .b8 box[64];
  ret;
}
.visible .entry nothing() { ret; }
)";

class CheckedDevice : public fuzz::IdleDevice {
 public:
  void launch(const isa::Launch& launch) override {
    if (launch.parameters.size() != launch.kernel->parameter_bytes) fuzz::broken("parameters of another size");
    if (launch.grid.count() == 0 || launch.block.count() == 0) fuzz::broken("an empty launch");
  }
};

}  // namespace
}  // namespace warpfold

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpfold;
  static const fuzz::Folder folder;
  static const std::string ptx = folder.write("k.ptx", kPtx);
  const std::string file = folder.write("launch.yaml", fuzz::text_of(data, size));
  fuzz::accepted([&] {
    CheckedDevice device;
    std::ostringstream out;
    host::LaunchDescription description = host::read_launch_description(file, device.memory().free_bytes());
    for (host::LaunchOutput& output : description.outputs) output.file.clear();
    host::run_ptx(ptx, description, device, out);
  });
  return 0;
}
