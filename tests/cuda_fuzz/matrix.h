// SPDX-License-Identifier: Apache-2.0
// Products of matrices by whole warps: PTX's mma on the device, and for the host after its description (PTX ISA,
// "Matrix Fragments for mma"). D = A B + D.
#pragma once

#if defined(__CUDACC__)
// 16 x 8 x 16 and 16 x 8 x 8 halves, with sums in float.
__device__ inline void multiply_halves(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ inline void multiply_halves(float (&d)[4], const unsigned (&a)[2], const unsigned (&b)[1]) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}
// 16 x 8 x 16 signed bytes, with sums modulo 2^32.
__device__ inline void multiply_bytes(int (&d)[4], const unsigned (&a)[2], unsigned b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b));
}
// 8 x 8 x 4 doubles.
__device__ inline void multiply_doubles(double (&d)[2], double a, double b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(d[0]), "+d"(d[1])
               : "d"(a), "d"(b));
}
#else
namespace cuda_twin {

// A register of each lane of the warp.
template <class T>
WarpMeeting registers(T value) {
  return meet_warp("mma", 0xffffffffu, bits_of(value));
}
inline unsigned row_of(unsigned element) { return lane() / 4 + element / 2 * 8; }
inline unsigned column_of(unsigned element) { return lane() % 4 * 2 + element % 2; }

}  // namespace cuda_twin

template <std::size_t A, std::size_t B>
void multiply_halves(float (&d)[4], const unsigned (&a)[A], const unsigned (&b)[B]) {
  cuda_twin::WarpMeeting all_a[A], all_b[B];
  for (std::size_t i = 0; i < A; ++i) all_a[i] = cuda_twin::registers(a[i]);
  for (std::size_t i = 0; i < B; ++i) all_b[i] = cuda_twin::registers(b[i]);
  const auto element = [](const cuda_twin::WarpMeeting& registers, unsigned lane, unsigned k) {
    return cuda_twin::value_of({static_cast<unsigned short>(registers.values[lane] >> k % 2 * 16)});
  };
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = cuda_twin::row_of(i), column = cuda_twin::column_of(i);
    double sum = d[i];
    for (unsigned k = 0; k < 8 * B; ++k) {
      sum += element(all_a[row / 8 + k / 8 * 2], row % 8 * 4 + k % 8 / 2, k) *
             element(all_b[k / 8], column * 4 + k % 8 / 2, k);
    }
    d[i] = static_cast<float>(sum);
  }
}
inline void multiply_bytes(int (&d)[4], const unsigned (&a)[2], unsigned b) {
  const cuda_twin::WarpMeeting all_a[] = {cuda_twin::registers(a[0]), cuda_twin::registers(a[1])};
  const cuda_twin::WarpMeeting all_b = cuda_twin::registers(b);
  const auto element = [](const cuda_twin::WarpMeeting& registers, unsigned lane, unsigned k) {
    return static_cast<signed char>(registers.values[lane] >> k % 4 * 8);
  };
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = cuda_twin::row_of(i), column = cuda_twin::column_of(i);
    unsigned sum = static_cast<unsigned>(d[i]);
    for (unsigned k = 0; k < 16; ++k) {
      sum += static_cast<unsigned>(element(all_a[row / 8], row % 8 * 4 + k / 4, k) *
                                   element(all_b, column * 4 + k / 4, k));
    }
    d[i] = static_cast<int>(sum);
  }
}
inline void multiply_doubles(double (&d)[2], double a, double b) {
  const cuda_twin::WarpMeeting all_a = cuda_twin::registers(a), all_b = cuda_twin::registers(b);
  for (unsigned i = 0; i < 2; ++i) {
    for (unsigned k = 0; k < 4; ++k) {
      d[i] += cuda_twin::cast_bits<double>(all_a.values[cuda_twin::row_of(i) * 4 + k]) *
              cuda_twin::cast_bits<double>(all_b.values[cuda_twin::column_of(i) * 4 + k]);
    }
  }
}
#endif
