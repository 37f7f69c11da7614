// SPDX-License-Identifier: Apache-2.0
// warpfold-cc's command line: nvcc's options mapped, ignored with a note, or refused in one line.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/host/front_end.h"

namespace warpfold::host {
namespace compiler_options_test {

constexpr const char* kSource = "__global__ void k(float* p) { *p = *p * *p + VALUE; }\nint main() {}\n";

class CompilerOptions : public ::testing::Test {
 protected:
  CompilerOptions() { folder.write("a.cu", kSource); }
  ScratchFolder folder;
};

TEST_F(CompilerOptions, ObjectsCarryTheirPtx) {
  const CommandResult result = folder.compile("-c -DVALUE=1 -O2 -g a.cu");
  ASSERT_EQ(result.status, 0) << result.output;
  const std::string object = folder.read("a.o");
  EXPECT_EQ(count(object, ".target sm_70"), 1u);
  EXPECT_EQ(count(object, ".visible .entry _Z1kPf"), 1u);
  const CommandResult symbols = run_command("nm -u " + folder.path("a.o"));
  for (const char* wanted :
       {"__cudaRegisterFatBinary\n", "__cudaRegisterFunction", "__cudaPopCallConfiguration", "cudaLaunchKernel"}) {
    EXPECT_EQ(count(symbols.output, wanted), 1u) << wanted;
  }
}

TEST_F(CompilerOptions, IncludesDefinesAndLanguage) {
  std::filesystem::create_directory(folder.path("inc"));
  folder.write("inc/value.h", "#define VALUE 2\n");
  folder.write("b.cpp", std::string("#include \"value.h\"\n") + kSource);
  EXPECT_EQ(folder.compile("-std=c++17 -I inc -Iinc -x cu -c b.cpp -o b1.o").status, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.path("b1.o")));
  EXPECT_NE(folder.compile("-Iinc -c b.cpp").status, 0);  // a .cpp is no CUDA unless -x cu says so
}

TEST_F(CompilerOptions, PlainSourcesSeeTheRuntimeHeaders) {
  folder.write("h.cpp",
               "#include <cuda_runtime.h>\nint f() { float4 v = make_float4(1, 2, 3, 4); int n; "
               "cudaGetDeviceCount(&n); return n + v.x; }\n");
  folder.write("h.c",
               "#include <cuda_runtime_api.h>\nint f(void) { struct cudaDeviceProp p; return "
               "cudaGetDeviceProperties(&p, 0); }\n");
  const CommandResult result = folder.compile("-c h.cpp -Wall && " WARPFOLD_CC " -std=c++17 -c h.c -o hc.o");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(CompilerOptions, DryRunShowsTheLinkAndDoesNothing) {
  folder.write("b.cu", kSource);
  folder.write("c.cpp", "int f() { return 0; }\n");
  folder.write("d.o", "");
  const CommandResult result = folder.compile(
      "--dry-run -DVALUE=1 -Xcompiler -fopenmp,-Wextra -fsanitize=undefined,bounds -Xlinker --as-needed a.cu b.cu "
      "c.cpp d.o -Lx -lfoo -lcudart -o "
      "prog");
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(count(result.output, "--cuda-device-only"), 2u);
  EXPECT_EQ(count(result.output, "--cuda-host-only"), 2u);
  EXPECT_EQ(count(result.output, " -fsanitize=undefined,bounds "), 5u);
  EXPECT_EQ(count(result.output, " -fopenmp=libgomp "), 3u);  // the host halves and the plain source
  EXPECT_EQ(count(result.output, " -fopenmp -Xlinker --as-needed -Lx -lfoo -lcudart_static "), 1u) << result.output;
  EXPECT_EQ(count(result.output, " -lcudart_static -lm "), 1u);
  EXPECT_EQ(count(result.output, "-lcudart "), 0u);
  EXPECT_FALSE(std::filesystem::exists(folder.path("prog")));
}

TEST_F(CompilerOptions, OpenMpRunsInOneThread) {
  folder.write(
      "o.cu",
      "#include <omp.h>\nint main() {\n  int sum = 0;\n#pragma omp parallel for reduction(+ : sum)\n"
      "  for (int i = 0; i < 10; ++i) sum += i;\n  return sum == 45 && omp_get_num_threads() == 1 ? 0 : 1;\n}\n");
  const CommandResult result = folder.compile("-Xcompiler -fopenmp -c o.cu");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(result.output, "warpfold-cc: note: -fopenmp: parallel regions run in one thread\n");
}

TEST_F(CompilerOptions, DependenciesForMake) {
  folder.write("v.h", "#define VALUE 1\n");
  folder.write("d.cu", std::string("#include \"v.h\"\n") + kSource);
  const CommandResult result = folder.compile("-MM d.cu");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output.substr(0, 12), "d.o: d.cu v.") << result.output;
}

TEST_F(CompilerOptions, ArchitecturesAreAcceptedWithANote) {
  const CommandResult result =
      folder.compile("--ptx -DVALUE=1 -arch=sm_35 -gencode arch=compute_70,code=sm_70 -lineinfo -Xptxas -v a.cu");
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(count(result.output, "warpfold-cc: note: "), 1u) << result.output;  // sm_70 is among them
  EXPECT_GE(count(folder.read("a.ptx"), "\t.loc\t1 1 "), 1u);
  EXPECT_EQ(count(folder.read("a.ptx"), ".target sm_70"), 1u);
}

TEST_F(CompilerOptions, OneNoteForAllArchitectures) {
  const CommandResult result = folder.compile(
      "--ptx -DVALUE=1 -gencode arch=compute_60,code=sm_60 -gencode arch=compute_61,code=[sm_61,compute_61] "
      "-arch=sm_86 a.cu");
  EXPECT_EQ(result.output,
            "warpfold-cc: note: sm_60, sm_61, sm_86: the model takes code for sm_70, whatever is asked for\n");
}

// Both halves of a file are compiled.
TEST_F(CompilerOptions, AWarningIsShownOnce) {
  folder.write("w.cu", "__global__ void k(int* p) { int unused = 1; }\nint main() { int too; }\n");
  const CommandResult result = folder.compile("-Wall -c w.cu");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(count(result.output, "warning: "), 2u) << result.output;
  EXPECT_EQ(count(folder.compile("-Wall --ptx w.cu").output, "warning: "), 2u);
}

// As with nvcc, launch bounds of a kernel come before the option.
TEST_F(CompilerOptions, RegisterCountsReachThePtx) {
  folder.write("r.cu",
               "__global__ void plain(float* p) { *p = 1; }\n"
               "__global__ void __launch_bounds__(128, 3) bounded(float* p) { *p = 2; }\n");
  ASSERT_EQ(folder.compile("--ptx -maxrregcount=24 r.cu").status, 0);
  const std::string ptx = folder.read("r.ptx");
  EXPECT_EQ(count(ptx, ".maxnreg 24\n{"), 1u) << ptx;
  EXPECT_LT(ptx.find("plain"), ptx.find(".maxnreg"));
  EXPECT_LT(ptx.find(".maxnreg"), ptx.find("bounded"));
  EXPECT_EQ(count(ptx, ".minnctapersm 3"), 1u);
}

TEST_F(CompilerOptions, FusedMultiplyAddsCanBeTurnedOff) {
  ASSERT_EQ(folder.compile("--ptx -DVALUE=1.0f a.cu -o on.ptx").status, 0);
  ASSERT_EQ(folder.compile("--ptx -DVALUE=1.0f -fmad=false a.cu -o off.ptx").status, 0);
  EXPECT_EQ(count(folder.read("on.ptx"), "fma.rn.f32"), 1u);
  EXPECT_EQ(count(folder.read("off.ptx"), "fma.rn.f32"), 0u);
}

// A local lives to the end of the loop's body: its end of scope is where clang gathers all ways out.
TEST_F(CompilerOptions, LoopExitsCanBeKeptApart) {
  folder.write("l.cu", R"(__global__ void k(unsigned* out, const unsigned* in, int turns) {
  unsigned word = in[threadIdx.x], sum = 0;
  for (int turn = 0; turn < turns; ++turn, word = word >> 4 | sum << 28) {
    const unsigned what = word & 15;
    if (what < 7) {
      sum = sum * 5 + 100;
    } else {
      sum ^= what;
      if (what == 15) { sum += 7000; break; }
    }
    sum += turn * 3;
  }
  out[threadIdx.x] = sum;
})");
  ASSERT_EQ(folder.compile("--ptx l.cu -o merged.ptx").status, 0);
  ASSERT_EQ(folder.compile("--ptx --keep-loop-exits l.cu -o apart.ptx").status, 0);
  EXPECT_GT(count(folder.read("merged.ptx"), "mov.pred"), 0u) << "the flag that says where to go on";
  EXPECT_EQ(count(folder.read("apart.ptx"), "mov.pred"), 0u);
}

TEST_F(CompilerOptions, WordsForOtherToolsArePartedByCommasAndBlanks) {
  const CommandResult result = folder.compile(
      "--dry-run -c a.cu -Xcompiler '-O2 -Wall' -Xcompiler ,\\\"-fPIC\\\",\\\"-DNDEBUG\\\" "
      "--compiler-options=-fno-exceptions,-DTEXT='\"a,b\"'");
  ASSERT_EQ(result.status, 0) << result.output;
  for (const char* word : {" -O2 ", " -Wall ", " -fPIC ", " -DNDEBUG ", " -fno-exceptions ", " -DTEXT=a,b "}) {
    EXPECT_GE(count(result.output, word), 1u) << word << result.output;
  }
}

TEST_F(CompilerOptions, OptionsComeFromFiles) {
  folder.write("inner.opt", "-DINNER='1 2'\n");
  folder.write("outer.opt", "-DOUTER=\"x y\" @inner.opt\n-DVALUE=1\n");
  for (const char* how : {"@outer.opt", "-optf outer.opt", "--options-file=outer.opt"}) {
    const CommandResult result = folder.compile(std::string("--dry-run -c a.cu ") + how);
    ASSERT_EQ(result.status, 0) << result.output;
    for (const char* word : {"'-DINNER=1 2'", "'-DOUTER=x y'", " -DVALUE=1 "}) {
      EXPECT_GE(count(result.output, word), 2u) << word << result.output;
    }
  }
}

// What CMake, FindCUDA and the makefiles of public programs give.
TEST_F(CompilerOptions, NvccsOptionsAreTaken) {
  const CommandResult result = folder.compile(
      "--dry-run -c a.cu -ccbin g++ -m64 -gencode arch=compute_70,code=[compute_70,sm_70] "
      "--generate-code=arch=compute_70,code=compute_70 -allow-unsupported-compiler --diag-suppress 20012,177 "
      "-Xcudafe --diag_suppress=20012 --threads 4 -t4 -default-stream per-thread --expt-relaxed-constexpr "
      "--expt-extended-lambda -Werror all-warnings -Wno-deprecated-gpu-targets -ftz=true -prec-div=false "
      "-prec-sqrt=false -fmad=true -restrict -O3 -std=c++14 --forward-unknown-to-host-compiler --unheard-of");
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(count(result.output, "note:"), 0u) << result.output;
  for (const char* word : {"-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1", "-fcuda-flush-denormals-to-zero",
                           "-nvptx-prec-divf32=1", "-nvptx-prec-sqrtf32=0", "-std=c++14", "--unheard-of"}) {
    EXPECT_GE(count(result.output, word), 1u) << word << result.output;
  }
}

TEST_F(CompilerOptions, WhatIsIgnoredSaysSoOnce) {
  const CommandResult result = folder.compile(
      "-c a.cu -DVALUE=1 -lineinfo -G -lineinfo -Xptxas -v -Xptxas -v -res-usage -arch sm_35 -arch=sm_35");
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(count(result.output, "warpfold-cc: note: "), 4u) << result.output;
  EXPECT_EQ(folder.compile("-w --ptx a.cu -DVALUE=1 -lineinfo -arch=sm_35").output, "");
}

TEST_F(CompilerOptions, TheLanguageIsThatOfTheVendor) {
  folder.write("l.cu",
               "static_assert(__cplusplus == 201703L, \"C++17\");\n"
               "#if defined(__CUDACC__) && defined(__NVCC__) && __CUDACC_VER_MAJOR__ == 11\nint main() {}\n#endif\n");
  EXPECT_EQ(folder.compile("-c l.cu").output, "");
}

TEST_F(CompilerOptions, RulesForMakeAreThoseOfTheObject) {
  folder.write("v.h", "#define VALUE 1\n");
  folder.write("d.cu", std::string("#include \"v.h\"\n") + kSource);
  std::filesystem::create_directory(folder.path("obj"));
  ASSERT_EQ(folder.compile("-MMD -c d.cu -o obj/d.o").status, 0);
  EXPECT_EQ(folder.read("obj/d.d").substr(0, 20), "obj/d.o: d.cu v.h\n");
  ASSERT_EQ(folder.compile("-MD -MT target -MF rules -c d.cu -o obj/d.o").status, 0);
  EXPECT_EQ(folder.read("rules").substr(0, 13), "target: d.cu ");
}

TEST_F(CompilerOptions, DeviceCodeCanBeKept) {
  std::filesystem::create_directory(folder.path("kept"));
  ASSERT_EQ(folder.compile("-c a.cu -DVALUE=1 --keep --keep-dir kept").status, 0);
  EXPECT_EQ(count(folder.read("kept/a.ptx"), ".visible .entry _Z1kPf"), 1u);
  const CommandResult image = folder.compile("-cubin a.cu -DVALUE=1");
  EXPECT_EQ(image.output, "warpfold-cc: note: -cubin: the file holds PTX, which is what the model takes\n");
  EXPECT_EQ(count(folder.read("a.cubin"), ".visible .entry _Z1kPf"), 1u);
}

TEST_F(CompilerOptions, KernelsAreNoFunctionsOfTheDevice) {
  folder.write("k.cu",
               "__host__ __global__ void a() {}\n__global__ __device__ void b() {}\n"
               "__device__ __global__ void c() {}\nint main() { a<<<1, 1>>>(); b<< <1, 1>> >(); c<<<1, 1>>>(); }\n");
  EXPECT_EQ(folder.compile("-c k.cu").output, "");
}

// In headers too, of which the compiler reads cured copies; its messages name the program's own.
TEST_F(CompilerOptions, RegistersOfPtxNeedOneSignInAssembly) {
  std::filesystem::create_directory(folder.path("inc"));
  folder.write(
      "inc/lane.cuh",
      "__device__ inline unsigned lane() { unsigned r; asm(\"mov.u32 %0, %laneid;\" : \"=r\"(r)); return r; }\n");
  folder.write("r.cu",
               "#include \"lane.cuh\"\n"
               "__global__ void k(unsigned* p, unsigned v) {\n"
               "  unsigned a, b; asm volatile (\"{ .reg .b32 t; mov.u32 t, %smid; add.u32 %0, t, %2; }\\n\\t\"\n"
               "    \"mov.u32 %1, %%nsmid;\" : \"=r\"(a), \"=r\"(b) : \"r\"(v));\n"
               "  p[0] = a; p[1] = b % lane();\n}\nint main() {}\n");
  const CommandResult result = folder.compile("--ptx -I inc r.cu");
  ASSERT_EQ(result.output, "");
  const std::string ptx = folder.read("r.ptx");
  for (const char* name : {", %smid;", ", %nsmid;", ", %laneid;"}) EXPECT_EQ(count(ptx, name), 1u) << name;
  folder.write("inc/lane.cuh", folder.read("inc/lane.cuh") + "int wrong = nothing;\n");
  const std::string message = folder.compile("--ptx -I inc r.cu").output;
  EXPECT_NE(message.find("inc/lane.cuh:2:13: error"), std::string::npos) << message;
}

TEST_F(CompilerOptions, KernelsThatLaunchKernelsAreNamedAsThat) {
  folder.write("n.cu", "__global__ void inner() {}\n__global__ void outer() { inner<<<1, 1>>>(); }\nint main() {}\n");
  EXPECT_EQ(count(folder.compile("-rdc=true -c n.cu").output, "error: n.cu: kernels that launch kernels"), 1u);
  folder.write("n.cu", "int wrong = nothing;\n");
  EXPECT_EQ(count(folder.compile("-c n.cu").output, "error: n.cu: the device half does not compile"), 1u);
}

// Scripts ask for the release.
TEST_F(CompilerOptions, TheVersionReadsAsToolsReadIt) {
  const CommandResult result = folder.compile("--version");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(count(result.output, "release 11.5, V11.5.119"), 1u);
  const CommandResult asked = run_command(WARPFOLD_CC " -v __no_such_file");
  EXPECT_EQ(count(asked.output, "#$ TOP=" + run_command(WARPFOLD_CC " --cuda-root").output), 1u) << asked.output;
}

// One % before a name, as nvcc takes it; where it is right already, and where it is none, it stays.
TEST_F(CompilerOptions, RegistersInAssemblyWantNoSecondSign) {
  folder.write("s.cu", R"(__global__ void k(unsigned* out, unsigned n) {
  unsigned sm, lane;
  asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
  asm("{ .reg .u32 t; mov.u32 t, %%laneid; mad.lo.u32 %0, t, %1, %ntid.x; }" : "=r"(lane) : "r"(n %sm));
  asm volatile("// %laneid");
  printf("%smid", "a");
  *out = sm + lane;
})");
  const CommandResult result = folder.compile("--ptx s.cu");
  ASSERT_EQ(result.status, 0) << result.output;
  const std::string ptx = folder.read("s.ptx");
  for (const char* text : {", %smid;", "mov.u32 t, %laneid;", ", %ntid.x;", "// %laneid", "rem.u32"}) {
    EXPECT_EQ(count(ptx, text), 1u) << text << ptx;
  }
}

TEST_F(CompilerOptions, LibrariesThatTheModelHas) {
  folder.write("b.cu", kSource);
  const CommandResult result = folder.compile(
      "--dry-run b.cu -lcublas_static -lculibos -lnvToolsExt -lnvrtc_static /opt/cuda/lib64/libcurand.so -o prog");
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(count(result.output, " -lcublas -lcurand -lcudart_static "), 1u) << result.output;
}

// Many programs include and link what they never call.
TEST_F(CompilerOptions, LibrariesThatAreAbsentAreToldWhereTheyAreCalled) {
  folder.write(
      "f.cu",
      "#include <cufft.h>\n#include <cudnn.h>\n#include <cusparse.h>\n#include <nvrtc.h>\n#include <npp.h>\n"
      "#include <nvjpeg.h>\nconst char* name(cufftResult r) { return r == CUFFT_EXEC_FAILED ? \"failed\" : 0; }\n"
      "#ifdef CALL\nvoid f(cufftHandle* h) {\n  cufftPlan1d(h, 64, CUFFT_C2C, 1);\n}\n#endif\nint main() {}\n");
  folder.write("g.cpp", "#include <cusolverDn.h>\nvoid f(cusolverDnHandle_t* h) { cusolverDnCreate(h); }\n");
  folder.write("h.cu", "#include <nccl.h>\nint f() { return own_nccl; }\n");
  folder.write("nccl.h", "const int own_nccl = 1;\n");
  const CommandResult built = folder.compile("f.cu -lcufft_static /usr/lib/libcudnn_ops_infer.so.8 -o f");
  EXPECT_EQ(built.status, 0) << built.output;
  const std::string left_out = ": left out: it does not run on the model, and has no counterpart here\n";
  EXPECT_EQ(built.output,
            "warpfold-cc: note: -lcufft_static" + left_out + "warpfold-cc: note: -lcudnn_ops_infer" + left_out);
  EXPECT_EQ(count(folder.compile("-DCALL -c f.cu").output,
                  "warpfold-cc: error: f.cu: cufftPlan1d: cuFFT does not run on the model, and has no counterpart"),
            1u);
  EXPECT_EQ(
      count(folder.compile("-c g.cpp").output, "error: g.cpp: cusolverDnCreate: cuSOLVER does not run on the model"),
      1u);
  folder.write("s.cpp", "#include <cusparse.h>\nint f() { return cusparseSbsrmv(0); }\n");
  EXPECT_EQ(
      count(folder.compile("-c s.cpp").output,
            "error: s.cpp: cusparseSbsrmv: this call of cuSPARSE does not run on the model, and has no counterpart"),
      1u);
  folder.write("l.cpp", "#include <cusparseLt.h>\ncusparseLtHandle_t h;\n");
  EXPECT_EQ(count(folder.compile("-c l.cpp").output, "l.cpp: cusparseLtHandle_t: cuSPARSELt does not run"), 1u);
  folder.write("t.cu", "#include <thrust/none_such.h>\n");
  EXPECT_EQ(count(folder.compile("-c t.cu").output,
                  "warpfold-cc: error: t.cu: thrust/none_such.h: Debian's package libthrust-dev has such headers\n"),
            1u);
  const CommandResult own = folder.compile("-I. -c h.cu");
  EXPECT_EQ(own.status, 0) << own.output;
}

TEST_F(CompilerOptions, AnnotationsForProfilersDoNothing) {
  folder.write("n.cu",
               "#include <nvToolsExt.h>\n#include <nvtx3/nvToolsExt.h>\nint main() {\n"
               "  nvtxEventAttributes_t event = {};\n  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;\n"
               "  nvtxMark(\"here\");\n  nvtxRangePushEx(&event);\n"
               "  return nvtxRangePush(\"now\") == NVTX_NO_PUSH_POP_TRACKING && nvtxRangePop() < 0 ? 0 : 1;\n}\n");
  const CommandResult result = folder.compile("-Xcompiler -Wall n.cu -lnvToolsExt -o n && ./n");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(result.output, "");
}

struct BadCommand {
  const char* name;
  const char* arguments;
  const char* message;
};

class BadCommands : public CompilerOptions, public ::testing::WithParamInterface<BadCommand> {};

TEST_P(BadCommands, AreOneLine) {
  folder.write("n.txt", "");
  folder.write("self.opt", "@self.opt\n");
  const CommandResult result = folder.compile(GetParam().arguments);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.output, std::string("warpfold-cc: error: ") + GetParam().message + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    CompilerOptions, BadCommands,
    ::testing::Values(BadCommand{"NothingToDo", "", "no input files (warpfold-cc --help)"},
                      BadCommand{"Missing", "none.cu", "none.cu: no such file"},
                      BadCommand{"RegistersOfNone", "-maxrregcount=0 a.cu",
                                 "-maxrregcount=0: expected a number of registers"},
                      BadCommand{"UnknownOption", "--frobnicate a.cu",
                                 "--frobnicate: unknown option (warpfold-cc --help lists them)"},
                      BadCommand{"AlmostKnownOption", "--relocatable-devicecode=true a.cu",
                                 "--relocatable-devicecode=true: unknown option (did you mean "
                                 "--relocatable-device-code?)"},
                      BadCommand{"FileThatNamesItself", "@self.opt",
                                 "self.opt: options files nest deeper than 16: does it name itself?"},
                      BadCommand{"NoOptionsFile", "@none.opt", "none.opt: cannot be read, or is empty"},
                      BadCommand{"ThirtyTwoBits", "-m32 a.cu", "-m32: only 64-bit programs"},
                      BadCommand{"UnknownKind", "n.txt",
                                 "n.txt: unknown kind of file; expected .cu, .cpp, .cc, .cxx, .c, .o, .a or .so"},
                      BadCommand{"OptionWithoutValue", "a.cu -o", "-o needs a value"},
                      BadCommand{"NoSuchFolder", "a.cu -o nowhere/prog", "nowhere/prog: no such directory"},
                      BadCommand{"OneOutputForTwo", "-c a.cu a.cu -o x.o",
                                 "-o x.o with 2 inputs and no link step: one output cannot hold them"},
                      BadCommand{"PtxAsSource", "k.ptx",
                                 "k.ptx: a PTX file is no source; run it with: warpfold run --ptx k.ptx LAUNCH.yaml"}),
    [](const auto& test) { return std::string(test.param.name); });

// Where threads may wait for one another, code is compiled again with loops kept, and said of once.
TEST_F(CompilerOptions, LoopsAreKeptWhereThreadsMayWait) {
  folder.write("wait.cu", "__global__ void k(int* p) { while (atomicCAS(p, 0, 1) != 0); *p = 0; }\n");
  folder.write("poll.cu", "__global__ void k(volatile int* p) { while (*p == 0) {} }\n");
  const std::string option = "simplifycfg-max-small-block-size=-1";
  EXPECT_EQ(count(folder.compile("-v --ptx -DVALUE=1 a.cu").output, option), 0u);
  EXPECT_EQ(count(folder.compile("-v --ptx -DVALUE=1 -rdc=true a.cu").output, option), 1u);
  EXPECT_EQ(count(folder.compile("-v --ptx -rdc=true wait.cu").output, option), 1u);
  EXPECT_EQ(count(folder.compile("-v --ptx poll.cu").output, option), 1u);
  const CommandResult waits = folder.compile("-v --ptx wait.cu");
  EXPECT_EQ(waits.status, 0) << waits.output;
  EXPECT_EQ(count(waits.output, option), 1u);
  EXPECT_EQ(count(waits.output, "[-Wempty-body]"), 1u) << waits.output;
}

}  // namespace compiler_options_test
}  // namespace warpfold::host
