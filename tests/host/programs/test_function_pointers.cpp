// SPDX-License-Identifier: Apache-2.0
// Pointers to device functions as programs use them: kept in symbols, handed on by the host, taken from objects.
#include <gtest/gtest.h>

#include "tests/host/front_end.h"
#include "tests/host/kernel_runner.h"
#include "warpfold/common/error.h"

namespace warpfold::host {
namespace function_pointers_test {

// A whole program: the pointer goes from a symbol through the host to another kernel.
TEST(FunctionPointers, TheHostHandsThemOn) {
  const ScratchFolder folder;
  folder.write("test.cu", R"(
#include <cstdio>
typedef float (*Operation)(float, float);
__device__ float add(float a, float b) { return a + b; }
__device__ float multiply(float a, float b) { return a * b; }
__device__ Operation addition = add, operations[2] = {multiply, add};
__global__ void apply(float* out, Operation first, Operation second) {
  out[threadIdx.x] = first(second(threadIdx.x, 3), threadIdx.x % 2 ? 10 : 0.5f);
}
int main() {
  Operation first, both[2];
  cudaMemcpyFromSymbol(&first, addition, sizeof first);
  cudaMemcpyFromSymbol(both, operations, sizeof both);
  if (first != both[1] || first == both[0]) return 2;
  float *out, values[40];
  cudaMalloc(&out, sizeof values);
  apply<<<1, 40>>>(out, first, both[0]);
  cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 40; ++i) {
    if (values[i] != 3 * i + (i % 2 ? 10 : 0.5f)) return printf("%d: %f\n", i, values[i]), 1;
  }
  return 0;
})");
  const CommandResult compiled = folder.compile("-o test test.cu");
  ASSERT_EQ(compiled.status, 0) << compiled.output;
  const CommandResult ran = run_command("cd '" + folder.path("") + "' && ./test");
  EXPECT_EQ(ran.status, 0) << ran.output;
}

constexpr const char* kObjects = R"(
#include <new>
struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual float scaled(float by) const { return area() * by; }
};
struct Square : Shape {
  float side;
  __device__ float area() const override { return side * side; }
};
struct Box : Square {
  float height;
  __device__ float area() const override { return 2 * Square::area() + 4 * side * height; }
  __device__ float scaled(float by) const override { return Square::area() * height * by; }
};
)";

TEST(FunctionPointers, ObjectsBuiltInOneKernelAreUsedInAnother) {
  KernelRunner runner(ptx_of(std::string(kObjects) + R"(
__global__ void build(Box* memory) {
  const int t = threadIdx.x;
  if (t % 3 == 0) {
    Box* box = new (memory + t) Box;
    box->side = t, box->height = 2;
  } else {
    (new (memory + t) Square)->side = t;
  }
}
__global__ void use(const Box* memory, float* out) {
  const Shape* shape = memory + threadIdx.x;
  out[threadIdx.x] = shape->area() + 1000 * shape->scaled(2);
}
)"));
  const Address memory = runner.upload(std::vector<double>(2 * 40)), out = runner.upload(std::vector<float>(40));
  runner.run("_Z5buildP3Box", {1}, {40}, 0, memory);
  runner.run("_Z3usePK3BoxPf", {1}, {40}, 0, memory, out);
  std::vector<float> expected;
  for (int t = 0; t < 40; ++t) {
    const int square = t * t;
    expected.push_back(
        static_cast<float>(t % 3 == 0 ? 2 * square + 8 * t + 1000 * square * 4 : square + 1000 * square * 2));
  }
  EXPECT_EQ(runner.download<float>(out, 40), expected);
}

TEST(FunctionPointers, AnObjectThatNobodyBuiltIsReported) {
  KernelRunner runner(ptx_of(std::string(kObjects) + R"(
__global__ void use(const Shape* const* shapes, float* out) { *out = shapes[0]->area(); }
__global__ void build(Square* square) { new (square) Square; }
)"));
  // Where the virtual table's address is to be stands that of a table of nulls.
  const Address table = runner.upload(std::vector<std::uint64_t>(4));
  const Address object = runner.upload(std::vector<std::uint64_t>{table, 0});
  const Address shapes = runner.upload(std::vector<std::uint64_t>{object}), out = runner.upload(std::vector<float>(1));
  std::string said;
  try {
    runner.run("_Z3usePKPK5ShapePf", {1}, {1}, 0, shapes, out);
  } catch (const UserError& error) {
    said = error.what();
  }
  EXPECT_TRUE(said.starts_with("kernel 'use(Shape const* const*, float*)': test.ptx:")) << said;
  EXPECT_TRUE(
      said.ends_with("call: thread (0,0,0) of block (0,0,0) calls address 0x0, where no function with such "
                     "parameters is"))
      << said;
}

}  // namespace function_pointers_test
}  // namespace warpfold::host
