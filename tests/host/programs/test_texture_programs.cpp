// SPDX-License-Identifier: Apache-2.0
// Whole programs with textures, as public ones are written: compiled and linked by warpfold-cc, run on the modelled
// GPU.
#include <gtest/gtest.h>

#include "tests/host/front_end.h"

namespace warpfold::host {
namespace texture_programs_test {

CommandResult build_and_run(const std::string& source) {
  const ScratchFolder folder;
  folder.write("p.cu", source);
  const CommandResult built = folder.compile("-O2 p.cu -o p");
  EXPECT_EQ(built.status, 0) << built.output;
  return run_command("cd '" + folder.path("") + "' && ./p");
}

TEST(TexturePrograms, ReferencesOfOldPrograms) {
  const CommandResult result = build_and_run(R"(
#include <cstdio>
#include <texture_fetch_functions.h>
texture<float, 1, cudaReadModeElementType> vec;
texture<unsigned char, 2, cudaReadModeNormalizedFloat> grey;
static texture<float4, cudaTextureType1D> cells;
__global__ void k(float* o) {
  const int i = threadIdx.x;
  o[i] = tex1Dfetch(vec, i) + tex2D(grey, i + 0.5f, 1.5f) + tex1Dfetch(cells, i / 4).w;
}
int main() {
  float h[32], *d, *o;
  unsigned char g[2][32];
  for (int i = 0; i < 32; ++i) h[i] = i, g[0][i] = 0, g[1][i] = 255 * (i & 1);
  cudaMalloc(&d, sizeof h); cudaMalloc(&o, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  cudaArray* array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
  cudaMallocArray(&array, &format, 32, 2);
  cudaMemcpyToArray(array, 0, 0, g, sizeof g, cudaMemcpyHostToDevice);
  grey.addressMode[0] = cudaAddressModeClamp;
  grey.filterMode = cudaFilterModePoint;
  grey.normalized = false;
  cudaBindTexture(0, vec, d, sizeof h);
  cudaBindTexture(NULL, cells, d);
  cudaBindTextureToArray(grey, array, format);
  k<<<1, 32>>>(o);
  cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < 32; ++i) wrong += h[i] != i + (i & 1) + i / 4 * 4 + 3;
  cudaUnbindTexture(vec);
  cudaFreeArray(array);
  printf("wrong %d, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
})");
  EXPECT_EQ(result.output, "wrong 0, no error\n");
}

TEST(TexturePrograms, ObjectsAndSurfacesOfNewOnes) {
  const CommandResult result = build_and_run(R"(
#include <cstdio>
#include <cstring>
__global__ void blur(cudaTextureObject_t in, cudaSurfaceObject_t out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float4 v = tex2D<float4>(in, x + 1.f, y + 0.5f);
  surf2Dwrite(v, out, x * (int)sizeof(float4), y, cudaBoundaryModeZero);
}
int main() {
  const int w = 20, h = 10;
  static float4 host[h][w], back[h][w];
  for (int y = 0; y < h; ++y) for (int x = 0; x < w; ++x) host[y][x] = make_float4(x, y, x + y, 1);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
  cudaArray_t from, to;
  cudaMallocArray(&from, &format, w, h);
  cudaMallocArray(&to, &format, w, h, cudaArraySurfaceLoadStore);
  cudaMemcpy2DToArray(from, 0, 0, host, w * 16, w * 16, h, cudaMemcpyHostToDevice);
  cudaResourceDesc r;
  memset(&r, 0, sizeof r);
  r.resType = cudaResourceTypeArray;
  r.res.array.array = from;
  cudaTextureDesc t;
  memset(&t, 0, sizeof t);
  t.addressMode[0] = t.addressMode[1] = cudaAddressModeClamp;
  t.filterMode = cudaFilterModeLinear;
  t.readMode = cudaReadModeElementType;
  cudaTextureObject_t in;
  cudaSurfaceObject_t out;
  cudaCreateTextureObject(&in, &r, &t, NULL);
  r.res.array.array = to;
  cudaCreateSurfaceObject(&out, &r);
  blur<<<dim3(2, 2), dim3(16, 8)>>>(in, out, w, h);
  cudaMemcpy2DFromArray(back, w * 16, to, 0, 0, w * 16, h, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int y = 0; y < h; ++y) for (int x = 0; x < w; ++x) {
    const float right = x + 1 < w ? x + 0.5f : x;
    wrong += back[y][x].x != right || back[y][x].y != y || back[y][x].z != right + y || back[y][x].w != 1;
  }
  cudaDestroyTextureObject(in); cudaDestroySurfaceObject(out); cudaFreeArray(from); cudaFreeArray(to);
  printf("wrong %d, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
})");
  EXPECT_EQ(result.output, "wrong 0, no error\n");
}

}  // namespace texture_programs_test
}  // namespace warpfold::host
