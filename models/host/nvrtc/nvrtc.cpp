// SPDX-License-Identifier: Apache-2.0
// NVRTC's calls. They do nothing with the device, and several threads may make them at once for programs of their own.
#include "warpfold/host/include/nvrtc.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/common/warning.h"
#include "warpfold/host/nvrtc/runtime_program.h"

struct _nvrtcProgram {
  warpfold::host::nvrtc::RuntimeProgram program;
};

namespace warpfold::host::nvrtc {
namespace {

struct Programs {
  std::mutex mutex;
  std::set<nvrtcProgram> all;
};

// Never destroyed: other threads may still call while the process ends.
Programs& programs() {
  static auto* const all = new Programs;
  return *all;
}

bool is_program(nvrtcProgram handle) {
  const std::lock_guard lock(programs().mutex);
  return programs().all.count(handle) != 0;
}

template <class Body>
nvrtcResult told(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return NVRTC_ERROR_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    warn(std::string("NVRTC: ") + error.what());
    return NVRTC_ERROR_INTERNAL_ERROR;
  }
}

template <class Body>
nvrtcResult in_program(nvrtcProgram handle, Body body) {
  return told([&] { return is_program(handle) ? body(handle->program) : NVRTC_ERROR_INVALID_PROGRAM; });
}

nvrtcResult create(nvrtcProgram* handle, const char* source, const char* name, int count, const char* const* texts,
                   const char* const* names) {
  if (handle == nullptr || source == nullptr || count < 0 || (count > 0 && (texts == nullptr || names == nullptr))) {
    return NVRTC_ERROR_INVALID_INPUT;
  }
  std::vector<Header> headers;
  for (int i = 0; i < count; ++i) {
    if (texts[i] == nullptr || names[i] == nullptr) return NVRTC_ERROR_INVALID_INPUT;
    headers.push_back({names[i], texts[i]});
  }
  const bool named = name != nullptr && *name != 0;
  try {
    auto made = std::make_unique<_nvrtcProgram>(
        _nvrtcProgram{RuntimeProgram(source, named ? name : "default_program", std::move(headers))});
    const std::lock_guard lock(programs().mutex);
    programs().all.insert(made.get());
    *handle = made.release();
  } catch (const UserError& error) {
    warn(error.what());
    return NVRTC_ERROR_INVALID_INPUT;
  }
  return NVRTC_SUCCESS;
}

nvrtcResult compile(RuntimeProgram& program, int count, const char* const* given) {
  if (count < 0 || (count > 0 && given == nullptr)) return NVRTC_ERROR_INVALID_INPUT;
  std::vector<std::string> options;
  for (int i = 0; i < count; ++i) {
    if (given[i] == nullptr) return NVRTC_ERROR_INVALID_INPUT;
    options.emplace_back(given[i]);
  }
  switch (program.compile(options)) {
    case Outcome::kCompiled:
      return NVRTC_SUCCESS;
    case Outcome::kWrongOption:
      return NVRTC_ERROR_INVALID_OPTION;
    case Outcome::kWrongSource:
      return NVRTC_ERROR_COMPILATION;
  }
  return NVRTC_ERROR_INTERNAL_ERROR;
}

nvrtcResult size_of_text(size_t* bytes, const std::string& text, bool there) {
  if (bytes == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *bytes = there ? text.size() + 1 : 0;
  return NVRTC_SUCCESS;
}

nvrtcResult copy_of_text(char* to, const std::string& text, bool there) {
  if (to == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  if (there) std::memcpy(to, text.c_str(), text.size() + 1);
  return NVRTC_SUCCESS;
}

}  // namespace
}  // namespace warpfold::host::nvrtc

using namespace warpfold::host::nvrtc;

extern "C" {

const char* nvrtcGetErrorString(nvrtcResult result) {
  static constexpr const char* kNames[] = {"NVRTC_SUCCESS",
                                           "NVRTC_ERROR_OUT_OF_MEMORY",
                                           "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                           "NVRTC_ERROR_INVALID_INPUT",
                                           "NVRTC_ERROR_INVALID_PROGRAM",
                                           "NVRTC_ERROR_INVALID_OPTION",
                                           "NVRTC_ERROR_COMPILATION",
                                           "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                           "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                           "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                           "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                           "NVRTC_ERROR_INTERNAL_ERROR"};
  const auto at = static_cast<std::size_t>(result);
  return at < std::size(kNames) ? kNames[at] : "NVRTC_ERROR unknown";
}
nvrtcResult nvrtcVersion(int* major, int* minor) {
  if (major == nullptr || minor == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *major = 11;
  *minor = 5;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  if (count == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *count = 1;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
  if (architectures == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *architectures = 70;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name, int headers,
                               const char* const* header_texts, const char* const* header_names) {
  return told([&] { return create(program, source, name, headers, header_texts, header_names); });
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  {
    const std::lock_guard lock(programs().mutex);
    if (programs().all.erase(*program) == 0) return NVRTC_ERROR_INVALID_PROGRAM;
  }
  delete std::exchange(*program, nullptr);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
  return in_program(program, [&](RuntimeProgram& p) { return compile(p, count, options); });
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t* bytes) {
  return in_program(program, [&](RuntimeProgram& p) { return size_of_text(bytes, p.ptx(), p.is_compiled()); });
}
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* ptx) {
  return in_program(program, [&](RuntimeProgram& p) { return copy_of_text(ptx, p.ptx(), p.is_compiled()); });
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* bytes) {
  return in_program(program, [&](RuntimeProgram& p) { return size_of_text(bytes, p.binary(), !p.binary().empty()); });
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* cubin) {
  return in_program(program, [&](RuntimeProgram& p) { return copy_of_text(cubin, p.binary(), !p.binary().empty()); });
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* bytes) {
  return in_program(program, [&](RuntimeProgram& p) { return size_of_text(bytes, p.log(), true); });
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  return in_program(program, [&](RuntimeProgram& p) { return copy_of_text(log, p.log(), true); });
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression) {
  return in_program(program, [&](RuntimeProgram& p) {
    if (expression == nullptr) return NVRTC_ERROR_INVALID_INPUT;
    if (p.is_compiled()) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    p.add_expression(expression);
    return NVRTC_SUCCESS;
  });
}
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression, const char** name) {
  return in_program(program, [&](RuntimeProgram& p) {
    if (expression == nullptr || name == nullptr) return NVRTC_ERROR_INVALID_INPUT;
    if (!p.is_compiled()) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    const std::string* const found = p.lowered_name(expression);
    if (found == nullptr) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    *name = found->c_str();
    return NVRTC_SUCCESS;
  });
}

}  // extern "C"
