// SPDX-License-Identifier: Apache-2.0
// NVRTC's options, in every form, and what is said of wrong ones.
#include <gtest/gtest.h>

#include "warpfold/common/error.h"
#include "warpfold/host/nvrtc/compile_options.h"

namespace warpfold::host::nvrtc {
namespace compile_options_test {

using Words = std::vector<std::string>;

std::string complaint(const Words& given) {
  try {
    read_options(given);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(NvrtcOptions, ValuesStandInFourPlaces) {
  const Words wanted = {"-DN=4"};
  EXPECT_EQ(read_options({"-DN=4"}).arguments, wanted);
  EXPECT_EQ(read_options({"-D N=4"}).arguments, wanted);
  EXPECT_EQ(read_options({"-D \t N=4"}).arguments, wanted);
  EXPECT_EQ(read_options({"-D", "N=4"}).arguments, wanted);
  EXPECT_EQ(read_options({"--define-macro=N=4"}).arguments, wanted);
  EXPECT_EQ(read_options({"--define-macro", "N=4"}).arguments, wanted);
  EXPECT_EQ(read_options({" --define-macro N=4 "}).arguments, wanted);
}

TEST(NvrtcOptions, BecomeThoseOfTheCompiler) {
  EXPECT_EQ(read_options({"--std=c++14", "-UX", "-maxrregcount=32", "--fmad=false", "--ftz=true", "-prec-div=0",
                          "--prec-sqrt=1", "--use_fast_math", "-lineinfo", "-rdc=true", "-w"})
                .arguments,
            (Words{"-std=c++14", "-UX", "-maxrregcount=32", "-fmad=false", "-ftz=true", "-prec-div=false",
                   "-prec-sqrt=true", "-use_fast_math", "-lineinfo", "-rdc=true", "-w"}));
  EXPECT_EQ(read_options({"-rdc=false", "--restrict", "--ptxas-options=-v", "-dopt=on", ""}).arguments, Words{});
  EXPECT_EQ(read_options({"-dc"}).arguments, Words{"-rdc=true"});
}

TEST(NvrtcOptions, FoldersMayHaveAnyName) {
  const CompileOptions options = read_options({"-I/a b,c", "--pre-include=x.h"});
  EXPECT_EQ(options.arguments, (Words{"-I/a\\ b\\,c", "-include", "x.h"}));
  EXPECT_TRUE(options.reads_folders);
  EXPECT_FALSE(read_options({"-DX"}).reads_folders);
}

TEST(NvrtcOptions, OfTheProgramItself) {
  EXPECT_TRUE(read_options({"--device-as-default-execution-space"}).device_by_default);
  EXPECT_TRUE(read_options({"-default-device"}).device_by_default);
  EXPECT_FALSE(read_options({"--no-source-include"}).beside_source);
  const CompileOptions plain = read_options({});
  EXPECT_TRUE(plain.beside_source && !plain.device_by_default && !plain.gives_binary());
  EXPECT_TRUE(read_options({"-arch=sm_90a"}).gives_binary());
  EXPECT_FALSE(read_options({"--gpu-architecture=compute_70"}).gives_binary());
}

TEST(NvrtcOptions, WrongOnesAreNamed) {
  EXPECT_EQ(complaint({"--no-such-thing=1"}), "--no-such-thing=1: unknown option");
  EXPECT_EQ(complaint({"--fmadd=true"}), "--fmadd=true: unknown option (did you mean --fmad?)");
  EXPECT_EQ(complaint({"O3"}), "O3: expected an option, which begins with -");
  EXPECT_EQ(complaint({"-"}), "-: expected an option, which begins with -");
  EXPECT_EQ(complaint({"--std"}), "--std needs a value");
  EXPECT_EQ(complaint({"--std=c++99"}), "--std=c++99: expected c++03, c++11, c++14, c++17 or c++20");
  EXPECT_EQ(complaint({"--fmad=maybe"}), "--fmad=maybe: expected true or false");
  EXPECT_EQ(complaint({"-lineinfo=1"}), "-lineinfo=1: this option takes no value");
  EXPECT_EQ(complaint({"-maxrregcount=many"}), "--maxrregcount=many: expected a number of registers");
  EXPECT_EQ(complaint({"-arch=fermi"}), "--gpu-architecture=fermi: expected compute_NN or sm_NN");
  EXPECT_EQ(complaint({"-arch=sm_x"}), "--gpu-architecture=sm_x: expected compute_NN or sm_NN");
  EXPECT_EQ(complaint({"-dlto"}),
            "there is no code of LLVM's to hand over here: leave this option out, and link PTX (cuLinkAddData)");
}

}  // namespace compile_options_test
}  // namespace warpfold::host::nvrtc
