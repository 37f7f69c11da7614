// SPDX-License-Identifier: Apache-2.0
// A source that a program compiles while it runs: NVRTC's program.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "warpfold/host/nvrtc/compile_options.h"

namespace warpfold::host::nvrtc {

struct Header {
  std::string name, text;  // the name is that of #include
};

enum class Outcome : unsigned char { kCompiled, kWrongOption, kWrongSource };

class RuntimeProgram {
 public:
  // UserError, one line, for a header whose name leads out of the folder that it is put into.
  RuntimeProgram(std::string source, std::string name, std::vector<Header> headers);

  // Kept in the cache (warpfold/common/files/cache.h) if nothing but these texts and the headers of warpfold-cc is part
  // of it. UserError where there is no warpfold-cc, or no place for its files.
  Outcome compile(const std::vector<std::string>& options);

  // Of what "kernel<int>" or "&variable" is called in the PTX. Expressions are added before the program is compiled.
  void add_expression(const std::string& expression);
  bool is_compiled() const { return compiled_; }
  const std::string* lowered_name(const std::string& expression) const;  // null: it was not added

  // Empty before the program has compiled. `binary`: what the model takes for a CUBIN, for a real architecture.
  const std::string& ptx() const { return ptx_; }
  const std::string& binary() const;
  const std::string& log() const { return log_; }

 private:
  struct Made {
    bool well = false;
    std::string ptx, log;
  };
  std::string whole_source(const CompileOptions& options) const;
  bool is_self_contained(const CompileOptions& options) const;
  // Of its texts and options; of these and of what compiles them.
  std::string unit(const CompileOptions& options) const;
  std::string key(const std::string& unit) const;
  Made made(const CompileOptions& options, const std::filesystem::path& folder, const std::string& unit) const;
  Made kept(const CompileOptions& options) const;
  void take_names(const std::string& ptx);

  std::string source_, name_;
  std::vector<Header> headers_;
  std::map<std::string, std::string> names_;  // by expression; empty until it is compiled
  bool compiled_ = false;
  bool gives_binary_ = false;
  std::string ptx_, log_;
};

}  // namespace warpfold::host::nvrtc
