// SPDX-License-Identifier: Apache-2.0
// Programs built by makefiles, by CMake and by other compilers' linkers, as for the vendor's toolkit.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

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
    const std::string said = run_command("cd '" + folder.path("") + "' && unset LD_LIBRARY_PATH; " + commands).output;
    // What the linker says of the address sanitizer's own library is no matter here.
    return std::regex_replace(said, std::regex("[^\n]*libasan[^\n]*: warning: [^\n]*\n"), "");
  }
  ScratchFolder folder;
  std::string root;
};

TEST_F(Toolkit, HasTheShapeOfTheVendors) {
  for (const char* name :
       {"bin/nvcc", "include/cuda_runtime.h", "lib64/libcudart.so", "lib64/libcudart_static.a", "lib64/libcudadevrt.a",
        "lib64/libcuda.so", "lib64/stubs/libcuda.so", "lib64/libnvrtc.so", "version.json", "nvvm/libdevice"}) {
    EXPECT_TRUE(std::filesystem::exists(root + "/" + name)) << name;
  }
}

TEST_F(Toolkit, DeviceCodeOfSeveralFilesIsOneProgram) {
  EXPECT_EQ(run(WARPFOLD_CC " -rdc=true a.cu b.cu -o prog && ./prog"), kPrinted);
  EXPECT_NE(run(WARPFOLD_CC " a.cu b.cu -o prog").find("device code calls what is defined nowhere: _Z5twicei"),
            std::string::npos);
}

// Kernels, functions and variables, constant or not, by one name in both files: static, or in an unnamed namespace.
TEST_F(Toolkit, StaticNamesAreThoseOfTheirFiles) {
  const auto file = [](const std::string& sign, const std::string& first, const std::string& main) {
    return "#include <cstdio>\nstatic __constant__ int factor[2];\nstatic __device__ int offset = " + first +
           ";\nstatic __device__ int twice(int x) { return 2 * x " + sign +
           " offset; }\nnamespace {\n__device__ int extra(int x) { return x " + sign +
           " 1; }\ntemplate <class T> __global__ void other(T* p) { *p = extra(twice(*p)); }\n}\n"
           "static __global__ void scale(int* p) { *p = factor[1] * twice(*p); }\n" +
           main;
  };
  const std::string launches = "scale<<<1, 1>>>(p); other<<<1, 1>>>(p); }\n";
  folder.write("one.cu", file("+", "3",
                              "void two(int* p);\nint main() {\n  int *p, h = 1, f[2] = {0, 7};\n  cudaMalloc(&p, 4);\n"
                              "  cudaMemcpy(p, &h, 4, cudaMemcpyHostToDevice);\n  cudaMemcpyToSymbol(factor, f, 8);\n"
                              "  {" +
                                  launches +
                                  "  two(p);\n  cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);\n"
                                  "  printf(\"%d %s\\n\", h, cudaGetErrorName(cudaGetLastError()));\n}\n"));
  folder.write("two.cu", file("-", "100",
                              "void two(int* p) {\n  const int f[2] = {0, 10}, o = 20;\n"
                              "  cudaMemcpyToSymbol(factor, f, 8);\n  cudaMemcpyToSymbol(offset, &o, 4);\n  " +
                                  launches));
  // 7 (2 + 3) = 35, 2 * 35 + 3 + 1 = 74; 10 (2 * 74 - 20) = 1280, 2 * 1280 - 20 - 1
  for (const std::string level : {"-O0", "-O2"}) {
    EXPECT_EQ(run(WARPFOLD_CC " -rdc=true " + level + " one.cu two.cu -o both && ./both"), "2539 cudaSuccess\n")
        << level;
  }
}

// No kernel writes them, so that their values in the source are all that a compiler sees.
TEST_F(Toolkit, TheHostWritesVariablesOfUnnamedNamespaces) {
  const auto file = [](const std::string& value, const std::string& name) {
    return "namespace {\n__constant__ int factor;\n__device__ int offset = 7;\n__device__ int table[2];\n"
           "__global__ void k(int* p) { *p += factor * offset + table[*p & 1]; }\n}\nvoid " +
           name + "(int* p) {\n  const int v = " + value +
           ", f = 100, t[2] = {v, 2 * v};\n  cudaMemcpyToSymbol(offset, &v, 4);\n  cudaMemcpyToSymbol(factor, &f, "
           "4);\n  cudaMemcpyToSymbol(table, t, 8);\n"
           "  k<<<1, 1>>>(p);\n}\n";
  };
  folder.write("one.cu", "#include <cstdio>\n" + file("3", "one") +
                             "void two(int* p);\nint main() {\n  int *p, h = 1;\n  cudaMalloc(&p, 4);\n"
                             "  cudaMemcpy(p, &h, 4, cudaMemcpyHostToDevice);\n  one(p);\n  two(p);\n"
                             "  cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);\n"
                             "  printf(\"%d %s\\n\", h, cudaGetErrorName(cudaGetLastError()));\n}\n");
  folder.write("two.cu", file("5", "two"));
  for (const std::string rdc : {"false", "true"}) {  // 1 + 300 + 6 = 307, 307 + 500 + 10
    EXPECT_EQ(run(WARPFOLD_CC " -rdc=" + rdc + " one.cu two.cu -o both && ./both"), "817 cudaSuccess\n") << rdc;
  }
}

TEST_F(Toolkit, NamesThatTwoFilesDefineOrNoneAreErrors) {
  folder.write(
      "main.cu",
      "__global__ void k(int*);\n__device__ int half(int x) { return x / 2; }\nstatic __device__ int kept[2];\n"
      "__global__ void own(int* p) { *p = kept[half(*p)]; }\n"
      "int main() { int* p; cudaMalloc(&p, 4); cudaMemcpyToSymbol(kept, &p, 4); k<<<1, 1>>>(p); }\n");
  folder.write("again.cu",
               "__device__ int half(int x) { return x >> 1; }\n__global__ void k(int* p) { *p = half(*p); }\n");
  folder.write("use.cu", "extern __device__ int kept[2];\n__global__ void k(int* p) { *p = kept[0]; }\n");
  EXPECT_EQ(run(WARPFOLD_CC " -rdc=true -c main.cu again.cu use.cu"), "");
  EXPECT_EQ(run(WARPFOLD_CC " -rdc=true main.o again.o -o twice && ./twice"),
            "warpfold: error: 'half(int)' is defined in main.cu and in again.cu, which are files of one program "
            "(-rdc=true)\n");
  EXPECT_EQ(run(WARPFOLD_CC " -rdc=true main.o use.o -o none && ./none"),
            "warpfold: error: 'kept' is used in use.cu and defined nowhere; that of main.cu is static, for itself "
            "alone\n");
}

TEST_F(Toolkit, AnotherCompilerLinksAndNoOtherLibraryIsTaken) {
  folder.write("Makefile",
               "NVCC = $(CUDA_PATH)/bin/nvcc -ccbin g++\n"
               "prog: a.o b.o\n"
               "\t$(NVCC) -arch=sm_70 -dlink a.o b.o -o link.o\n"
               "\tg++ a.o b.o link.o -L$(CUDA_PATH)/lib64 -lcudadevrt -lcudart -o $@\n"
               "%.o: %.cu\n\t$(NVCC) -arch=sm_70 -dc $< -o $@\n");
  const std::string made = run("make -s CUDA_PATH=" + root + " && ./prog");
  EXPECT_EQ(made, kPrinted);
  // A vendor's library in the way is not taken.
  folder.write("other.c", "int cudaMalloc(void** p, unsigned long n) { return 77; }\n");
  const std::string alone =
      run("gcc -shared -fPIC other.c -o libcudart.so && cp libcudart.so libcudart_static.a && " WARPFOLD_CC
          " -rdc=true a.o b.o -L. -lcudart ./libcudart.so -lcudart_static -o alone && ./alone");
  EXPECT_EQ(alone, kPrinted);
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

// A program by another compiler, which compiles and links device code while it runs.
TEST_F(Toolkit, ProgramsMayCompileWhileTheyRun) {
  folder.write("jit.c", R"(
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
static char* compiled(const char* source) {
  const char* options[] = {"--relocatable-device-code=true"};
  nvrtcProgram program;
  size_t bytes = 0;
  nvrtcCreateProgram(&program, source, "jit.cu", 0, NULL, NULL);
  if (nvrtcCompileProgram(program, 1, options) != NVRTC_SUCCESS) exit(1);
  nvrtcGetPTXSize(program, &bytes);
  char* ptx = malloc(bytes);
  nvrtcGetPTX(program, ptx);
  nvrtcDestroyProgram(&program);
  return ptx;
}
int main(void) {
  const char* sources[] = {"__device__ int f(int); extern \"C\" __global__ void k(int* p) { *p = f(*p); }",
                           "__device__ int f(int x) { return 2 * x; }"};
  CUcontext context;
  CUlinkState link;
  CUmodule module;
  CUfunction k;
  CUdeviceptr p;
  void *image, *parameters[] = {&p};
  size_t bytes;
  int x = 21;
  cuInit(0);
  cuCtxCreate(&context, 0, 0);
  cuLinkCreate(0, NULL, NULL, &link);
  for (int i = 0; i < 2; ++i) {
    char* ptx = compiled(sources[i]);
    cuLinkAddData(link, CU_JIT_INPUT_PTX, ptx, strlen(ptx) + 1, NULL, 0, NULL, NULL);
    free(ptx);
  }
  cuLinkComplete(link, &image, &bytes);
  cuModuleLoadData(&module, image);
  cuLinkDestroy(link);
  cuModuleGetFunction(&k, module, "k");
  cuMemAlloc(&p, sizeof x);
  cuMemcpyHtoD(p, &x, sizeof x);
  cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL);
  cuMemcpyDtoH(&x, p, sizeof x);
  printf("%d\n", x);
}
)");
  EXPECT_EQ(run("gcc -include string.h jit.c -I" + root + "/include -L" + root + "/lib64 -L" + root +
                "/lib64/stubs -lnvrtc -lcuda -o jit && ./jit"),
            "42\n");
}

}  // namespace toolkit_test
}  // namespace warpfold::host
