// SPDX-License-Identifier: Apache-2.0
// Kernels of a PTX text on a machine of their own, each in a fresh SystemC simulation.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/memory/simulation.h"
#include "warpfold/gpu/run/launch_of.h"
#include "warpfold/gpu/run/simulator.h"
#include "warpfold/isa/program.h"
#include "warpfold/ptx/parser.h"

namespace warpfold {

// `entry` begins on line 4.
inline std::string ptx_module(const std::string& entry) {
  return ".version 7.0\n.target sm_70\n.address_size 64\n" + entry;
}

// A kernel k(out, in) over 32-bit words, one of each per thread: %r4 = its index in the grid, %rd1 and %rd2 the arrays,
// %rd4 and %rd5 its places in them, %r5 = in[%r4]. `body` begins on line 22 and leaves in %r6 (at first 0) what is
// stored to out, by running to its end or by going to DONE.
inline std::string ptx_kernel(const std::string& body) {
  return ptx_module(R"(.visible .entry k(.param .u64 out, .param .u64 in)
{
.reg .pred %p<16>;
.reg .b32 %r<32>;
.reg .b64 %rd<16>;
.shared .align 8 .b8 box[4096];
ld.param.u64 %rd1, [out];
ld.param.u64 %rd2, [in];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %ntid.x;
mad.lo.u32 %r4, %r2, %r3, %r1;
mul.wide.u32 %rd3, %r4, 4;
add.s64 %rd4, %rd1, %rd3;
add.s64 %rd5, %rd2, %rd3;
ld.global.u32 %r5, [%rd5];
mov.u32 %r6, 0;

)" + body + R"(
DONE:
st.global.u32 [%rd4], %r6;
ret;
}
)");
}

// Reproducible words that look random.
inline std::vector<std::uint32_t> noise(std::size_t count, std::uint32_t seed = 1) {
  std::vector<std::uint32_t> words(count);
  std::uint32_t x = seed * 2654435761u | 1u;
  for (std::uint32_t& word : words) {
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    word = x;
  }
  return words;
}

template <class DeviceType = Simulator>
class KernelMachine {
 public:
  template <class... DeviceArguments>
  explicit KernelMachine(const std::string& ptx, DeviceArguments&&... arguments)
      : device(std::forward<DeviceArguments>(arguments)...),
        program(ptx::parse(ptx, "test.ptx"), device.memory(), device.decode_options()),
        services(device.memory()) {}

  template <class T>
  Address upload(const std::vector<T>& values, const std::string& name = "buffer") {
    const Address at = device.memory().allocate(values.size() * sizeof(T), name);
    device.memory().write(at, values.data(), values.size() * sizeof(T));
    return at;
  }
  template <class T>
  std::vector<T> download(Address at, std::size_t count) {
    std::vector<T> values(count);
    device.memory().read(at, values.data(), count * sizeof(T));
    return values;
  }

  // Arguments are copied as they are, each to its parameter's place.
  template <class... Arguments>
  void run(const std::string& kernel, isa::Dim3 grid, isa::Dim3 block, const Arguments&... arguments) {
    isa::Launch launch =
        launch_of(program, kernel, device.figures().row_lanes, {grid, block, dynamic_shared_bytes}, arguments...);
    launch.services = &services;
    launch.images = &images;
    device.launch(launch);
  }

 private:
  test::Simulation simulation_;  // first made, last destroyed

 public:
  DeviceType device;
  isa::Program program;
  isa::SystemServices services;  // for kernels that print, assert, or take memory
  isa::ImageTable images;
  std::uint64_t dynamic_shared_bytes = 0;
};

}  // namespace warpfold
