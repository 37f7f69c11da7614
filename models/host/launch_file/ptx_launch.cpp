// SPDX-License-Identifier: Apache-2.0
#include "warpfold/host/launch_file/ptx_launch.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <ostream>

#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/input_file.h"
#include "warpfold/host/runtime/launch_shape.h"
#include "warpfold/isa/program.h"
#include "warpfold/ptx/parser.h"

namespace warpfold::host {
namespace {

using Places = std::map<std::string, Address>;

const isa::Kernel& choose_kernel(isa::Program& program, const LaunchDescription& description,
                                 const std::string& ptx_path) {
  const std::vector<std::string> names = program.kernel_names();
  const auto threads = static_cast<unsigned>(description.block.count());
  if (description.kernel.empty()) {
    if (names.size() == 1) return program.kernel(names.front(), threads);
    user_error("{}: kernel: {} has {} kernels, so one must be named; {}", description.file, ptx_path, names.size(),
               suggestion("", names));
  }
  if (!program.has_kernel(description.kernel)) {
    user_error("{}: kernel = {}: not in {}; {}", description.file, description.kernel, ptx_path,
               suggestion(description.kernel, names));
  }
  return program.kernel(description.kernel, threads);
}

Places place_buffers(const LaunchDescription& description, Device& device) {
  DeviceMemory& memory = device.memory();
  Places places;
  for (const auto& [name, buffer] : description.buffers) {
    const Address at = memory.allocate(buffer.contents.size(), "buffer " + name);
    if (at == 0) {
      user_error("{}: buffers.{}: {} bytes, but {} are free on the device", description.file, name,
                 buffer.contents.size(), memory.free_bytes());
    }
    memory.write(at, buffer.contents.data(), buffer.contents.size());
    device.copied_in(at, buffer.contents.size());
    places[name] = at;
  }
  return places;
}

std::vector<std::byte> gather(const LaunchDescription& description, const isa::Kernel& kernel, const Places& places) {
  if (description.arguments.size() != kernel.parameters.size()) {
    user_error("{}: arguments: {} given, but kernel {} has {} parameters", description.arguments_place,
               description.arguments.size(), kernel.name, kernel.parameters.size());
  }
  std::vector<std::byte> bytes(kernel.parameter_bytes);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const LaunchArgument& argument = description.arguments[i];
    const isa::KernelParameter& parameter = kernel.parameters[i];
    std::vector<std::byte> value = argument.value;
    if (!argument.buffer.empty()) {
      const Address at = places.at(argument.buffer);
      // Of a file whose addresses have 32 bits, which the machine's then have, too.
      value.resize(parameter.bytes == 4 && at >> 32 == 0 ? 4 : sizeof at);
      std::memcpy(value.data(), &at, value.size());
    }
    if (value.size() != parameter.bytes) {
      user_error("{}: arguments: '{}' has {} bytes, but parameter {} ({}) of kernel {} has {}",
                 description.arguments_place, argument.text, value.size(), i + 1, parameter.name, kernel.name,
                 parameter.bytes);
    }
    std::copy(value.begin(), value.end(), bytes.begin() + parameter.offset);
  }
  return bytes;
}

std::vector<std::byte> contents(const LaunchDescription& description, const std::string& name, const Places& places,
                                const DeviceMemory& memory) {
  std::vector<std::byte> bytes(description.buffer(name)->contents.size());
  check(memory.read(places.at(name), bytes.data(), bytes.size()), "a buffer lies in its allocation");
  return bytes;
}

void write_output(const LaunchDescription& description, const LaunchOutput& output, const std::vector<std::byte>& bytes,
                  std::ostream& out) {
  const ValueType type = description.buffer(output.buffer)->type;
  const std::size_t size = bytes_of(type);
  for (std::size_t i = 0; i < std::min<std::size_t>(output.print, bytes.size() / size); ++i) {
    out << fmt::format("{}[{}] = {}\n", output.buffer, i, decode(type, bytes.data() + i * size));
  }
  if (output.file.empty()) return;
  std::ofstream file(output.file, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) user_error("{}: outputs.{}: cannot write {}", description.file, output.buffer, output.file);
}

bool holds(const LaunchDescription& description, const LaunchCheck& expectation, const std::vector<std::byte>& bytes,
           std::ostream& out) {
  const ValueType type = description.buffer(expectation.buffer)->type;
  const std::size_t size = bytes_of(type);
  const std::size_t count = (expectation.same_for_all ? bytes.size() : expectation.expected.size()) / size;
  std::size_t wrong = 0, first_wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* expected = expectation.expected.data() + (expectation.same_for_all ? 0 : i * size);
    if (matches(type, bytes.data() + i * size, expected, expectation.tolerance)) continue;
    if (wrong++ == 0) first_wrong = i;
  }
  if (wrong == 0) return true;
  const std::byte* expected = expectation.expected.data() + (expectation.same_for_all ? 0 : first_wrong * size);
  out << fmt::format("check failed: {}[{}] is {}, expected {} ({} of {} elements differ)\n", expectation.buffer,
                     first_wrong, decode(type, bytes.data() + first_wrong * size), decode(type, expected), wrong,
                     count);
  return false;
}

}  // namespace

int run_ptx(const std::string& ptx_path, const std::string& launch_path, Device& device, std::ostream& out) {
  return run_ptx(ptx_path, read_launch_description(launch_path, device.memory().free_bytes()), device, out);
}

int run_ptx(const std::string& ptx_path, const LaunchDescription& description, Device& device, std::ostream& out) {
  isa::Program program(ptx::parse(read_input(ptx_path, "PTX file"), ptx_path), device.memory(),
                       device.decode_options());
  program.decode_all();
  const isa::Kernel& kernel = choose_kernel(program, description, ptx_path);
  const Places places = place_buffers(description, device);

  isa::Launch launch;
  launch.kernel = &kernel;
  launch.grid = description.grid;
  launch.block = description.block;
  launch.shared_bytes = shared_bytes_of(kernel, description.shared_bytes);
  launch.parameters = gather(description, kernel, places);
  launch.const_bank = &program.const_bank();
  launch.warp_size = device.figures().row_lanes;
  isa::SystemServices services(device.memory());
  launch.services = &services;
  check_block(kernel, launch.block);
  {
    const isa::LaunchOutput output(services);
    device.launch(launch);
  }

  for (const LaunchOutput& output : description.outputs) {
    write_output(description, output, contents(description, output.buffer, places, device.memory()), out);
  }
  bool all_hold = true;
  for (const LaunchCheck& expectation : description.checks) {
    const bool held =
        holds(description, expectation, contents(description, expectation.buffer, places, device.memory()), out);
    all_hold = all_hold && held;
  }
  device.finish();
  return all_hold ? 0 : 1;
}

}  // namespace warpfold::host
