// SPDX-License-Identifier: Apache-2.0
// What people's programs include besides CUDA itself: each program beside this checks its own results.
#include <gtest/gtest.h>

#include <string>

#include "tests/host/front_end.h"

namespace warpfold {
namespace libraries_test {

class Libraries : public ::testing::TestWithParam<const char*> {
 protected:
  host::CommandResult run(const std::string& arguments) const {
    return host::run_command("cd '" + folder.path("") + "' && '" WARPFOLD_PROGRAM "' " + arguments +
                             " --machine gtx480 --out out '" LIBRARY_PROGRAMS "/" + GetParam() + "'");
  }
  host::ScratchFolder folder;
};

TEST_P(Libraries, ComputeWhatTheyShould) {
  const host::CommandResult result = run("run --timing functional");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_NE(result.output.find(" checks, 0 wrong, cudaSuccess\n"), std::string::npos) << result.output;
}

class LibrariesEverywhere : public Libraries {};

TEST_P(LibrariesEverywhere, ComputeItUnderEveryMechanism) {
  const host::CommandResult result = run("compare --mechanisms all");
  EXPECT_EQ(result.status, 0) << result.output;
}

const auto kName = [](const auto& library) { return std::string(library.param); };
INSTANTIATE_TEST_SUITE_P(Each, Libraries,
                         ::testing::Values("thrust", "cub", "libcudacxx", "synchronisation", "cublas", "curand",
                                           "cusparse"),
                         kName);
INSTANTIATE_TEST_SUITE_P(Each, LibrariesEverywhere,
                         ::testing::Values("thrust", "cub", "libcudacxx", "synchronisation", "blas_and_random"), kName);

// A C program by another compiler, with cuBLAS as it was before handles.
TEST(OwnLibraries, LinkWithPlainC) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer's library comes first in a program, or not at all";
#endif
  const host::ScratchFolder folder;
  folder.write("plain.c", R"(
#include <cublas.h>
#include <curand.h>
#include <stdio.h>
int main(void) {
  const float x[3] = {1, -5, 2};
  float *d;
  unsigned n[1];
  curandGenerator_t generator;
  cublasInit();
  cublasAlloc(3, sizeof(float), (void**)&d);
  cublasSetVector(3, sizeof(float), x, 1, d, 1);
  cublasSaxpy(3, 2.0f, d, 1, d, 1);
  printf("%g %d", cublasSasum(3, d, 1), cublasIsamax(3, d, 1));
  cublasSgemm('n', 'x', 1, 1, 1, 1, d, 1, d, 1, 0, d, 1);
  printf(" %d", cublasGetError() == CUBLAS_STATUS_INVALID_VALUE && cublasGetError() == CUBLAS_STATUS_SUCCESS);
  cublasFree(d);
  cublasShutdown();
  curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curandGenerate(generator, n, 1);
  printf(" %x\n", n[0]);
  return curandDestroyGenerator(generator);
}
)");
  const host::CommandResult result =
      host::run_command("cd '" + folder.path("") +
                        "' && unset LD_LIBRARY_PATH; root=$('" WARPFOLD_CC
                        "' --cuda-root) && gcc -Wall -Werror plain.c -I$root/include -L$root/lib64 -lcublas -lcurand "
                        "-lcudart -o plain && ./plain");
  EXPECT_EQ(result.output, "24 2 1 6627e8d5\n");
}

// Their code is loaded before the program's own.
TEST(OwnLibraries, LeaveTheProgramsCodeItsName) {
  const host::ScratchFolder folder;
  folder.write("own.cu",
               "#include <cublas_v2.h>\n#include <cstdio>\n"
               "__global__ void k() { asm volatile(\"barrier.cluster.wait;\"); }\n"
               "int main() {\n  cublasHandle_t h;\n  cublasCreate(&h);\n  k<<<1, 1>>>();\n}\n");
  const host::CommandResult result = folder.compile("own.cu -lcublas -o own && ./own");
  EXPECT_NE(result.output.find(" own.ptx:"), std::string::npos) << result.output;
}

// What the headers declare is in the libraries, and nothing besides.
TEST(OwnLibraries, HaveWhatTheirHeadersDeclare) {
  const host::ScratchFolder folder;
  folder.write("all.c",
               "#define WARPFOLD_BOTH_CUBLAS\n#include <cublas_v2.h>\n#include <cublas.h>\n#include <curand.h>\n"
               "#include <cusparse.h>\n");
  const host::CommandResult result =
      host::run_command("cd '" + folder.path("") +
                        "' && root=$('" WARPFOLD_CC
                        "' --cuda-root) && g++ -E -P -x c++ -I$root/include all.c | grep -oE "
                        "'\\b(cublas|curand|cusparse)[A-Za-z0-9_]+\\(' | "
                        "tr -d '(' | sort -u > declared && nm -D --defined-only $root/lib64/libcublas.so "
                        "$root/lib64/libcurand.so $root/lib64/libcusparse.so | grep -oE ' T "
                        "(cublas|curand|cusparse).*' | cut -c4- | sort -u > defined && "
                        "wc -l < declared && diff declared defined");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_GT(std::stoi(result.output), 200) << result.output;
}

}  // namespace libraries_test
}  // namespace warpfold
