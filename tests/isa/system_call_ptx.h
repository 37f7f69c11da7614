// SPDX-License-Identifier: Apache-2.0
// Calls of what the device provides, as compilers write them.
#pragma once

#include <string>
#include <vector>

namespace warpfold::isa {

inline const std::string kSystemFunctions =
    ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
    ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n"
    ".extern .func (.param .b64 r) malloc(.param .b64 a);\n"
    ".extern .func free(.param .b64 a);\n";

// `result`: the register for it, or none; arguments with their sizes, as {"b64 %rd1", …}. One line.
inline std::string call_text(const std::string& function, const std::string& result,
                             const std::vector<std::string>& arguments) {
  std::string text = "{ ", list;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const std::string type = arguments[k].substr(0, 3), name = "param" + std::to_string(k);
    text +=
        ".param ." + type + " " + name + "; st.param." + type + " [" + name + "+0], " + arguments[k].substr(4) + "; ";
    list += (k == 0 ? "" : ", ") + name;
  }
  if (result.empty()) return text + "call.uni " + function + ", (" + list + "); }\n";
  const std::string type = result.substr(0, 3);
  return text + ".param ." + type + " retval0; call.uni (retval0), " + function + ", (" + list + "); ld.param." + type +
         " " + result.substr(4) + ", [retval0+0]; }\n";
}

}  // namespace warpfold::isa
