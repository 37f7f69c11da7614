// SPDX-License-Identifier: Apache-2.0
// Programs built by makefiles, by CMake and by other compilers' linkers, as for the vendor's toolkit.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/host/front_end.h"

namespace warpfold::host {
namespace toolkit_test {

// Two files whose device code is one program: calls, variables and constants of one in the other, and a static
// function of the same name in both.
constexpr const char* kCaller = R"(
#include <cstdio>
extern __device__ int offset;
extern __constant__ int table[4];
static __device__ int more[2];
__device__ int twice(int);
__device__ static int own() { return 1000; }
__global__ void k(int* p) { p[threadIdx.x] = twice(threadIdx.x) + offset + table[1] + own() + more[1]; }
void set();
int main() {
  int *p, h[32];
  cudaMalloc(&p, sizeof h);
  set();
  const int thousands = 2000;
  cudaMemcpyToSymbol(more, &thousands, 4, 4);
  k<<<1, 32>>>(p);
  cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d\n", h[31]);
}
)";
constexpr const char* kCallee = R"(
__device__ int offset = 1;
__constant__ int table[4];
static __device__ int more[2];
__device__ static __noinline__ int own(int x) { return 2 * x + more[0]; }
__device__ int twice(int x) { return own(x); }
void set() {
  const int v = 100, t[4] = {0, 20}, other = 50000;
  cudaMemcpyToSymbol(more, &other, 4, 4);
  cudaMemcpyToSymbol(offset, &v, sizeof v);
  cudaMemcpyToSymbol(table, t, sizeof t);
}
)";
constexpr const char* kPrinted = "3182\n";  // 2 * 31 + 100 + 20 + 1000 + 2000

class Toolkit : public ::testing::Test {
 protected:
  Toolkit() : root(run_command("printf %s \"$(" WARPFOLD_CC " --cuda-root)\"").output) {
    folder.write("a.cu", kCaller);
    folder.write("b.cu", kCallee);
  }
  // Runs commands in the scratch folder, without any path to the library.
  std::string run(const std::string& commands) const {
    return run_command("cd '" + folder.path("") + "' && unset LD_LIBRARY_PATH; " + commands).output;
  }
  ScratchFolder folder;
  std::string root;
};

TEST_F(Toolkit, HasTheShapeOfTheVendors) {
  for (const char* name : {"bin/nvcc", "include/cuda_runtime.h", "lib64/libcudart.so", "lib64/libcudart_static.a",
                           "lib64/libcudadevrt.a", "lib64/libcuda.so", "version.json", "nvvm/libdevice"}) {
    EXPECT_TRUE(std::filesystem::exists(root + "/" + name)) << name;
  }
}

TEST_F(Toolkit, DeviceCodeOfSeveralFilesIsOneProgram) {
  EXPECT_EQ(run(WARPFOLD_CC " -rdc=true a.cu b.cu -o prog && ./prog"), kPrinted);
  EXPECT_NE(run(WARPFOLD_CC " a.cu b.cu -o prog").find("device code calls what is defined nowhere: _Z5twicei"),
            std::string::npos);
}

TEST_F(Toolkit, AnotherCompilerLinks) {
  folder.write("Makefile",
               "NVCC = $(CUDA_PATH)/bin/nvcc -ccbin g++\n"
               "prog: a.o b.o\n"
               "\t$(NVCC) -arch=sm_70 -dlink a.o b.o -o link.o\n"
               "\tg++ a.o b.o link.o -L$(CUDA_PATH)/lib64 -lcudadevrt -lcudart -o $@\n"
               "%.o: %.cu\n\t$(NVCC) -arch=sm_70 -dc $< -o $@\n");
  const std::string made = run("make -s CUDA_PATH=" + root + " && ./prog");
  EXPECT_EQ(made, kPrinted);
}

// A vendor's library in the way is not taken.
TEST_F(Toolkit, NoOtherLibraryIsLinked) {
  folder.write("other.c", "int cudaMalloc(void** p, unsigned long n) { return 77; }\n");
  const std::string made =
      run("gcc -shared -fPIC other.c -o libcudart.so && cp libcudart.so libcudart_static.a && " WARPFOLD_CC
          " -rdc=true a.cu b.cu -L. -lcudart ./libcudart.so -lcudart_static -o prog && ./prog");
  EXPECT_EQ(made, kPrinted);
}

TEST_F(Toolkit, CMakeKnowsTheCompiler) {
  folder.write("CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.18)
project(two LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_executable(prog a.cu b.cu)
set_target_properties(prog PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_STANDARD 17)
target_link_libraries(prog CUDA::cudart)
)");
  const std::string made = run("cmake -S . -B build -D CMAKE_CUDA_COMPILER=" WARPFOLD_CC
                               " > log 2>&1 && cmake --build build >> log 2>&1 && ./build/prog || cat log");
  EXPECT_EQ(made, kPrinted);
}

// cuRAND and cuBLAS are made by whoever first needs one, be it for another compiler's link.
TEST_F(Toolkit, LibrariesAreMadeWhenTheyAreAskedFor) {
  folder.write("use.cpp",
               "#include <curand.h>\nint main() {\n  curandGenerator_t g;\n"
               "  return curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_DEFAULT);\n}\n");
  folder.write("other.cpp", "int main() {}\n");
  const std::string cache = "export WARPFOLD_CACHE=$PWD/cache; ", making = "warpfold-cc: making libcurand.so, once\n";
  EXPECT_EQ(run(cache + WARPFOLD_CC " -c other.cpp; ls cache 2> /dev/null"), "");
  EXPECT_EQ(run(cache + WARPFOLD_CC " -c use.cpp"), making);
  EXPECT_EQ(run(cache + WARPFOLD_CC " -c use.cpp"), "");
  EXPECT_EQ(run("g++ use.o -L" + root + "/lib64 -lcurand -lcudart -o use && ./use && echo ran"), "ran\n");
  EXPECT_EQ(
      run("g++ use.o " + root + "/lib64/libcurand_static.a -L" + root + "/lib64 -lcudart -o use && ./use && echo ran"),
      "ran\n");
  EXPECT_EQ(run(cache + WARPFOLD_CC " use.o -lcurand_static -o use && ./use && echo ran"), "ran\n");
  // A limit on files stands for a full disk.
  const std::string full =
      run("export WARPFOLD_CACHE=$PWD/full; (trap '' XFSZ; ulimit -f 1; " WARPFOLD_CC " -lcurand); ls full");
  EXPECT_TRUE(full.starts_with(making + "warpfold-cc: error: libcurand.so does not compile: ")) << full;
  EXPECT_EQ(full.find(".so\n", making.size()), std::string::npos) << "nothing is left but log and lock: " << full;
  EXPECT_EQ(count(full, "\n"), 4U) << full;
  // The build's folder leads to where it was made last, which is gone with this test.
  EXPECT_EQ(run(WARPFOLD_CC " -lcurand 2> /dev/null"), "");
}

}  // namespace toolkit_test
}  // namespace warpfold::host
