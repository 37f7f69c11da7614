// SPDX-License-Identifier: Apache-2.0
// Modules of PTX that a program links while it runs.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "warpfold/common/files/input_file.h"
#include "warpfold/host/driver/driver.h"
#include "warpfold/host/driver/jit_logs.h"
#include "warpfold/host/runtime/context.h"
#include "warpfold/host/runtime/linked_image.h"
#include "warpfold/ptx/parser.h"

struct CUlinkState_st {
  warpfold::host::driver::JitLogs logs;
  std::vector<warpfold::host::LinkedPart> parts;
  std::string image;  // what cuLinkComplete() has handed out
};

namespace warpfold::host::driver {
namespace {

std::vector<std::unique_ptr<CUlinkState_st>>& links() {
  static auto* const all = new std::vector<std::unique_ptr<CUlinkState_st>>;  // as the modules
  return *all;
}

auto find_link(CUlinkState handle) {
  return std::find_if(links().begin(), links().end(), [&](const auto& link) { return link.get() == handle; });
}

// Says why, in the program's buffer too.
cudaError_t refuse_link(CUlinkState_st& state, cudaError_t error, const std::string& why) {
  state.logs.error("error: " + why);
  return refuse(error, "cuLink: {}", why);
}

const char* kind_of(CUjitInputType type) {
  switch (type) {
    case CU_JIT_INPUT_CUBIN:
      return "a cubin";
    case CU_JIT_INPUT_FATBINARY:
      return "a fatbinary";
    case CU_JIT_INPUT_OBJECT:
      return "an object file";
    case CU_JIT_INPUT_LIBRARY:
      return "an archive";
    default:
      return "this input";
  }
}

cudaError_t add_part(CUlinkState_st& state, CUjitInputType type, std::string text, const std::string& name) {
  if (!state.image.empty()) return refuse_link(state, cudaErrorInvalidValue, name + ": the link is complete already");
  if (type < 0 || type >= CU_JIT_NUM_INPUT_TYPES) return cudaErrorInvalidValue;
  text.resize(std::strlen(text.c_str()));  // programs count the 0 at the end, or do not
  if (!is_ptx_text(text)) {
    return refuse_link(state, cudaErrorInvalidKernelImage,
                       fmt::format("{}: {} without PTX text; the model links PTX: give what -ptx makes, of nvcc or "
                                   "warpfold-cc",
                                   name, kind_of(type)));
  }
  try {
    ptx::parse(standing_alone(text), name);
  } catch (const UserError& error) {
    return refuse_link(state, cudaErrorInvalidPtx, error.what());
  }
  state.parts.push_back({name, std::move(text)});
  return cudaSuccess;
}

cudaError_t add_file(CUlinkState_st& state, CUjitInputType type, const std::string& path) {
  // The device's part of the run-time library is the model itself.
  if (std::filesystem::path(path).filename().string().starts_with("libcudadevrt.")) return cudaSuccess;
  std::string text;
  try {
    text = read_input(path, "module");
  } catch (const UserError& error) {
    return refuse_link(state, cudaErrorFileNotFound, error.what());
  }
  return add_part(state, type, std::move(text), path);
}

cudaError_t complete(CUlinkState_st& state, void** image, size_t* bytes) {
  if (image == nullptr || bytes == nullptr) return cudaErrorInvalidValue;
  if (state.parts.empty()) return refuse_link(state, cudaErrorNoKernelImageForDevice, "no module has been added");
  std::string whole = linked_image(state.parts);
  try {
    const std::vector<std::string> missing = undefined_in(parsed_image(whole, "linked.ptx"));
    if (!missing.empty()) {
      std::string names = missing.front();
      for (std::size_t i = 1; i < missing.size(); ++i) names += ", " + missing[i];
      return refuse_link(state, cudaErrorInvalidSource, "used and defined in no module: " + names);
    }
  } catch (const UserError& error) {
    return refuse_link(state, cudaErrorInvalidSource, error.what());
  }
  state.image = std::move(whole);
  *image = state.image.data();
  *bytes = state.image.size() + 1;
  return cudaSuccess;
}

template <class Body>
CUresult with_link(CUlinkState handle, Body body, const char* call = __builtin_FUNCTION()) {
  return in_context([&] {
    return guarded(
        [&](Context&) {
          const auto found = find_link(handle);
          return found == links().end() ? cudaErrorInvalidResourceHandle : body(**found);
        },
        call);
  });
}

}  // namespace
}  // namespace warpfold::host::driver

extern "C" {

CUresult cuLinkCreate(unsigned int options, CUjit_option* names, void** values, CUlinkState* state) {
  return warpfold::host::driver::in_context([&] {
    return warpfold::host::guarded([&](warpfold::host::Context&) {
      if (state == nullptr) return cudaErrorInvalidValue;
      auto made = std::make_unique<CUlinkState_st>();
      made->logs = {options, names, values};
      *state = made.get();
      warpfold::host::driver::links().push_back(std::move(made));
      return cudaSuccess;
    });
  });
}
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t bytes, const char* name,
                       unsigned int /*options*/, CUjit_option* /*names*/, void** /*values*/) {
  return warpfold::host::driver::with_link(state, [&](CUlinkState_st& link) {
    if (data == nullptr || bytes == 0) return cudaErrorInvalidValue;
    const std::string shown = name != nullptr && *name != 0 ? name : fmt::format("input {}", link.parts.size() + 1);
    return warpfold::host::driver::add_part(link, type, std::string(static_cast<const char*>(data), bytes), shown);
  });
}
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path, unsigned int /*options*/,
                       CUjit_option* /*names*/, void** /*values*/) {
  return warpfold::host::driver::with_link(state, [&](CUlinkState_st& link) {
    if (path == nullptr) return cudaErrorInvalidValue;
    return warpfold::host::driver::add_file(link, type, path);
  });
}
CUresult cuLinkComplete(CUlinkState state, void** image, size_t* bytes) {
  return warpfold::host::driver::with_link(
      state, [&](CUlinkState_st& link) { return warpfold::host::driver::complete(link, image, bytes); });
}
CUresult cuLinkDestroy(CUlinkState state) {
  return warpfold::host::driver::with_link(state, [&](CUlinkState_st&) {
    warpfold::host::driver::links().erase(warpfold::host::driver::find_link(state));
    return cudaSuccess;
  });
}

}  // extern "C"
