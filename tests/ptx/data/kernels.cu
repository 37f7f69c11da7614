// SPDX-License-Identifier: Apache-2.0
// What kernels.ptx is made from: clang-14 -x cuda -S --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib
// --cuda-path=/nonexistent -Xclang -target-feature -Xclang +ptx63 -O3 kernels.cu -o kernels.ptx
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

struct Pair {
  int a;
  double b;
  short c;
};

__constant__ float kWeights[5] = {1.0f, 0.5f, 0.25f, 0.125f, 0.0625f};
__device__ int table[2][3] = {{1, 2}, {3}};
__device__ int* pointers[3] = {&table[0][1], 0, &table[1][0]};
__device__ unsigned counter;
extern __shared__ float dynamic[];

extern "C" __device__ int vprintf(const char*, void*);

__device__ __attribute__((noinline)) float scale(float x, Pair p) { return x > 0 ? x * p.b : x + p.a + p.c; }

__device__ float twice(float x) { return x + x; }
__device__ float square(float x) { return x * x; }

extern "C" __global__ void __attribute__((launch_bounds(256, 2))) diverge(float* out, const int* in, int n, Pair p) {
  __shared__ float tile[64];
  int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  float local[16];
  for (int k = 0; k < 16; ++k) local[k] = in[(i + k) % n];
  tile[i & 63] = local[in[i] & 15];
  __syncthreads();
  dynamic[i & 31] = tile[(i + 1) & 63];
  __syncthreads();
  if (i >= n) return;
  switch (in[i]) {
    case 0: out[i] = scale(dynamic[i & 7], p); break;
    case 1: out[i] = kWeights[i % 5]; break;
    case 2: out[i] = table[i & 1][i % 3] / (float)n; break;
    case 3: {
      long arguments[2] = {i, n};
      vprintf("%d %d\n", arguments);
      break;
    }
    default: out[i] = *pointers[i % 3];
  }
}

extern "C" __global__ void indirect(float* out, int which) {
  float (*function)(float) = which ? twice : square;
  for (int i = 0; i < which; ++i) out[i] = function(out[i]);
}

extern "C" __global__ void warp_level(unsigned* out, unsigned long long* wide) {
  unsigned lane = __nvvm_read_ptx_sreg_laneid();
  unsigned sum = out[lane];
  for (int d = 16; d > 0; d >>= 1) sum += __nvvm_shfl_sync_down_i32(-1, sum, d, 31);
  if (__nvvm_vote_any_sync(-1, sum > 3)) __nvvm_atom_add_gen_i((int*)&counter, sum);
  asm volatile(
      "{\n .reg .pred p;\n .reg .b32 t;\n setp.ne.u32 p, %1, 0;\n @p add.u32 t, %1, 1;\n @!p mov.u32 t, 0x10;\n"
      " mov.u32 %0, t;\n}"
      : "=r"(sum)
      : "r"(sum));
  out[lane] = sum;
  wide[lane] = __builtin_popcountll(wide[lane]) + (wide[lane] >> 7) * 3;
}
