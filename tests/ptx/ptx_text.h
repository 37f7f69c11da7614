// SPDX-License-Identifier: Apache-2.0
// Short PTX texts for the parser's tests.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "warpfold/common/error.h"
#include "warpfold/ptx/parser.h"

namespace warpfold::ptx::test {

inline const std::string kHead = ".version 7.1\n.target sm_70\n.address_size 64\n";

inline Module parse_module(std::string_view text) { return parse(kHead + std::string(text), "t.ptx"); }

// A kernel whose line 6 is the first of `body`; the registers and variables that the tests use are in line 5.
inline std::string kernel(std::string_view body) {
  return kHead +
         ".visible .entry k(.param .u64 k_param_0, .param .align 8 .b8 k_param_1[24]) {\n"
         ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>; .shared .align 4 .b8 tile[64];\n" +
         std::string(body) + "\n}\n";
}

inline Function parse_kernel(std::string_view body) { return parse(kernel(body), "t.ptx").functions.back(); }

inline Instruction parse_instruction(std::string_view text) { return parse_kernel(text).instructions.at(0); }

inline Operand parse_operand(std::string_view text) {
  return parse_instruction("op " + std::string(text) + ";").operands.at(0);
}

// The text of the error, or "accepted".
inline std::string error_of(std::string_view text) {
  try {
    parse(text, "t.ptx");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

inline std::string error_in_kernel(std::string_view body) { return error_of(kernel(body)); }

inline std::string read_data(const std::string& name) {
  const std::string path = std::string(WARPFOLD_PTX_DATA) + "/" + name;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace warpfold::ptx::test
