// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda_fuzz/text/kernel_text.h"

namespace warpfold::cuda_fuzz {
namespace {

struct Array {
  const char* name;
  const char* type;
  unsigned bytes;
  unsigned elements;  // 0: one for each thread
};
// In the memory that a kernel leaves.
constexpr Array kResults[] = {
    {"common32", "u32", 4, 40},   {"common64", "u64", 8, 16},     {"own32", "u32", 4, 0},
    {"own64", "u64", 8, 0},       {"vector_u", "uint4", 16, 0},   {"vector_f", "float2", 8, 0},
    {"vector_h", "short4", 8, 0}, {"vector_d", "double2", 16, 0}, {"left", "u32", 4, 0},
    {"sums", "u32", 4, 0},
};

}  // namespace

Text KernelText::make() {
  Context context;
  context_ = &context;
  Scope scope;
  scope.top = true;
  if (kernel_.meetings != Meetings::kNone) scope.level = Scope::Level::kBlock;
  if (kernel_.meetings == Meetings::kWarps) {
    scope.mask = "all";
    scope.named = "0xffffffffu";
  }
  list(kernel_.body, scope);

  Text text;
  for (std::size_t i = kernel_.functions.size(); i-- > 0;) text.code += function_text(i);
  context_ = &context;
  const std::string last = epilogue(), first = prologue();
  const std::string places = pointers(text);
  text.code += finish_function(text);
  std::string arguments;
  for (const std::size_t index : context.variables) arguments += fmt::format(", {}", kVariables[index].name);
  const std::string finish = fmt::format("finish_{}(out, g{});", name_, arguments);
  std::string body = context.code;
  for (std::size_t at; (at = body.find("@FINISH@")) != std::string::npos;) body.replace(at, 8, finish);
  const bool alone = kernel_.seed % 2 == 0;
  text.code += fmt::format(
      "__global__ void {0}(char* {1}out, const u32* {1}in, s8 p0, u64 p1, f32 p2, u16 p3, Mixed mixed{2}) {{\n", name_,
      alone ? "__restrict__ " : "", context.arrays.count("textures") != 0 ? ", Textures textures" : "");
  text.code += places + first + body + last + "  " + finish + "\n}\n" + launch_function();
  return text;
}

std::string KernelText::function_text(std::size_t index) {
  Context context;
  context.function = static_cast<int>(index);
  context_ = &context;
  Scope scope;
  scope.level = Scope::Level::kThread;
  list(kernel_.functions[index], scope);
  std::string result = "t";
  for (const std::size_t variable : context.variables)
    result += fmt::format(" * 31 + digest({})", kVariables[variable].name);
  context.arrays.erase("local_u");  // the caller's
  return fmt::format("static __device__ __noinline__ u32 {}_f{}(u32 a, s32 b, f32 c, u64 d, u32* local_u) {{\n", name_,
                     index) +
         "  const u32 t = thread_in_block();\n" + declarations(context, context.variables) + context.code +
         "  return " + result + ";\n}\n";
}

// What a variable starts with: arguments of the function, or indices, parameters and input.
std::string KernelText::initial(std::size_t index) const {
  const Type type = kVariables[index].type;
  if (in_function()) {
    if (type == Type::kF32 || type == Type::kF64) return index % 2 == 0 ? "c" : "c + (f32)a";
    return index % 3 == 0 ? "a" : index % 3 == 1 ? "b" : "d";
  }
  switch (index) {
    case 0:
      return "g";
    case 1:
      return "t * 7 + 3";
    case 4:
      return "5 - (s32)t";
    case 6:
      return "p1 + g";
    case 9:
      return "p2 * (f32)t";
    case 13:
      return "p0";
    case 14:
      return "p3";
    default:
      break;
  }
  return fmt::format("reinterpret_cast<const {}*>(in)[(g * {} + {}) % {}u]", name_of(type), 1 + kernel_.seed % 5,
                     index * 17 + kernel_.seed % 100, 4096 / bytes_of(type));
}

std::string KernelText::declarations(Context& context, const std::set<std::size_t>& variables) {
  std::string text;
  for (const std::size_t index : variables) {
    const char* const type = name_of(kVariables[index].type);
    text += fmt::format("  {0} {1} = ({0})({2});\n", type, kVariables[index].name, initial(index));
  }
  for (const auto& [name, type] : {std::pair("local_u", "u32"), {"local_d", "f64"}, {"local_b", "u8"}}) {
    if (context.arrays.count(name) == 0) continue;
    text += fmt::format("  {1} {0}[8];\n  for (u32 i = 0; i < 8; ++i) {0}[i] = ({1})(i * 41 + t);\n", name, type);
  }
  return text;
}

void KernelText::region(Text& text, const std::string& name, unsigned elements, unsigned bytes, bool per_thread) {
  text.regions.push_back({name, text.out_bytes, elements, bytes, per_thread});
  text.out_bytes += (elements * bytes + 15) / 16 * 16;
}

std::string KernelText::pointers(Text& text) {
  const unsigned block = kernel_.shape.block_threads();
  std::string code = fmt::format("  const u32 t = thread_in_block(), g = block_in_grid() * {}u + t;\n", block);
  for (const Array& array : kResults) {
    if (context_->arrays.count(array.name) == 0) continue;
    code +=
        fmt::format("  {0}* const {1} = reinterpret_cast<{0}*>(out + {2});\n", array.type, array.name, text.out_bytes);
    region(text, array.name, array.elements == 0 ? kernel_.shape.threads() : array.elements, array.bytes,
           array.elements == 0);
  }
  for (const auto& [name, type, bytes, elements] : {Array{"shared32", "u32", 4, 40}, Array{"shared64", "u64", 8, 16}}) {
    if (context_->arrays.count(name) == 0) continue;
    code += fmt::format("  {0}* const out_{1} = reinterpret_cast<{0}*>(out + {2});\n", type, name, text.out_bytes);
    region(text, name, elements * kernel_.shape.blocks(), bytes, false);
  }
  return code + declarations(*context_, context_->variables);
}

std::string KernelText::prologue() {
  const unsigned threads = kernel_.shape.block_threads();
  const auto used = [this](const char* name) { return context_->arrays.count(name) != 0; };
  std::string code, cleared;
  const auto clear = [&](const char* name, unsigned elements) {
    cleared += fmt::format("  for (u32 i = t; i < {}u; i += {}u) {}[i] = 0;\n", elements, threads, name);
  };
  if (kernel_.meetings == Meetings::kWarps) code += fmt::format("  const u32 all = warp_of(t, {}u);\n", threads);
  if (used("is_last")) code += "  __shared__ u32 is_last;\n";
  for (const auto& [name, type, elements] :
       {std::tuple("places", "u64", threads), std::tuple("shared32", "u32", 40u), std::tuple("shared64", "u64", 16u)}) {
    if (!used(name)) continue;
    code += fmt::format("  __shared__ {} {}[{}];\n", type, name, elements);
    clear(name, elements);
  }
  if (used("more_places")) {
    code += "  DYNAMIC_SHARED(u64, more_places);\n";
    clear("more_places", threads);
  }
  return code + cleared + (cleared.empty() ? "" : "  __syncthreads();\n");
}

// What has been counted in shared memory.
std::string KernelText::epilogue() {
  const unsigned threads = kernel_.shape.block_threads();
  std::string code;
  for (const auto& [name, elements] : {std::pair("shared32", 40u), {"shared64", 16u}}) {
    if (context_->arrays.count(name) == 0) continue;
    code += fmt::format("  for (u32 i = t; i < {0}u; i += {1}u) out_{2}[block_in_grid() * {0}u + i] = {2}[i];\n",
                        elements, threads, name);
  }
  return code.empty() ? "" : "  __syncthreads();\n" + code;
}

std::string KernelText::finish_function(Text& text) {
  std::string parameters, code;
  for (const std::size_t index : context_->variables) {
    const auto& [name, type] = kVariables[index];
    parameters += fmt::format(", {} {}", name_of(type), name);
    code +=
        fmt::format("  reinterpret_cast<{0}*>(out + {1})[g] = one_nan({2});\n", name_of(type), text.out_bytes, name);
    region(text, name, kernel_.shape.threads(), bytes_of(type), true);
  }
  return fmt::format("static __device__ inline void finish_{}(char* out, u32 g{}) {{\n{}}}\n", name_, parameters, code);
}

std::string KernelText::launch_function() {
  const auto& [gx, gy, gz] = kernel_.shape.grid;
  const auto& [bx, by, bz] = kernel_.shape.block;
  const unsigned shared = context_->arrays.count("more_places") != 0 ? 8 * kernel_.shape.block_threads() : 0;
  return fmt::format(
      "// Launches: {10}.\n"
      "static void launch_{0}(char* out, const u32* in, const Textures& textures, cudaStream_t stream) {{\n"
      "  const Mixed mixed = {{{8}, -2.5 * {9}, {9}, 0.1f, 200, {8} * 1000000007ll}};\n"
      "  LAUNCH({0}, dim3({1}, {2}, {3}), dim3({4}, {5}, {6}), {7}, stream, out, in, (s8){8}, {9}ull << 33, 1.0f / "
      "{9}, "
      "(u16)~{9}u, mixed{11});\n"
      "}}\n",
      name_, gx, gy, gz, bx, by, bz, shared, static_cast<int>(kernel_.seed % 251) - 125, 3 + kernel_.seed % 1000,
      kernel_.launches, context_->arrays.count("textures") != 0 ? ", textures" : "");
}

}  // namespace warpfold::cuda_fuzz
