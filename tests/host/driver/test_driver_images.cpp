// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces by the driver interface.
#include <gtest/gtest.h>

#include <vector>

#include "tests/host/runtime_fixture.h"
#include "warpfold/host/include/cuda.h"

namespace warpfold::host {
namespace driver_images_test {

constexpr const char* kSource = R"(
#define K extern "C" __global__ void
K get(float* out, cudaTextureObject_t t, float x, float y) { out[threadIdx.x] = tex2D<float>(t, x + threadIdx.x, y); }
K put(cudaSurfaceObject_t s, unsigned char v, int row) { surf2Dwrite(v, s, threadIdx.x, row); }
)";

class DriverImages : public RuntimeApi {
 protected:
  DriverImages() {
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxCreate(&context_, 0, 0), CUDA_SUCCESS);
    static const std::string ptx = ptx_of(kSource);
    EXPECT_EQ(cuModuleLoadData(&module_, ptx.c_str()), CUDA_SUCCESS);
  }
  ~DriverImages() override { cuCtxDestroy(context_); }
  template <class... Arguments>
  void launch(const char* kernel, unsigned threads, Arguments... arguments) {
    CUfunction function = nullptr;
    ASSERT_EQ(cuModuleGetFunction(&function, module_, kernel), CUDA_SUCCESS);
    void* pointers[] = {&arguments...};
    ASSERT_EQ(cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, nullptr, pointers, nullptr), CUDA_SUCCESS);
  }
  std::vector<float> read(CUtexObject texture, float x, float y, unsigned threads) {
    CUdeviceptr out = 0;
    EXPECT_EQ(cuMemAlloc(&out, threads * sizeof(float)), CUDA_SUCCESS);
    launch("get", threads, out, texture, x, y);
    std::vector<float> values(threads);
    EXPECT_EQ(cuMemcpyDtoH(values.data(), out, threads * sizeof(float)), CUDA_SUCCESS);
    return values;
  }
  static CUtexObject texture_of(const CUDA_RESOURCE_DESC& resource, unsigned flags, CUresult expected = CUDA_SUCCESS) {
    CUDA_TEXTURE_DESC how{};
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = CU_TR_ADDRESS_MODE_CLAMP;
    how.flags = flags;
    CUtexObject texture = 0;
    EXPECT_EQ(cuTexObjectCreate(&texture, &resource, &how, nullptr), expected);
    return texture;
  }
  static CUDA_RESOURCE_DESC resource_of(CUarray array) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    return resource;
  }
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
};

TEST_F(DriverImages, ABoxGoesToAnArrayAndComesBack) {
  CUarray array = nullptr;
  const CUDA_ARRAY_DESCRIPTOR shape{4, 3, CU_AD_FORMAT_FLOAT, 1};
  ASSERT_EQ(cuArrayCreate(&array, &shape), CUDA_SUCCESS);
  const std::vector<float> values{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23};
  CUDA_MEMCPY2D in{};
  in.srcMemoryType = CU_MEMORYTYPE_HOST, in.srcHost = values.data(), in.srcPitch = 16;
  in.dstMemoryType = CU_MEMORYTYPE_ARRAY, in.dstArray = array;
  in.WidthInBytes = 16, in.Height = 3;
  ASSERT_EQ(cuMemcpy2D(&in), CUDA_SUCCESS);
  EXPECT_EQ(read(texture_of(resource_of(array), 0), 1.5F, 2.5F, 3), (std::vector<float>{21, 22, 23}));

  std::vector<float> part(2);
  CUDA_MEMCPY2D out{};
  out.srcMemoryType = CU_MEMORYTYPE_ARRAY, out.srcArray = array, out.srcXInBytes = 4, out.srcY = 1;
  out.dstMemoryType = CU_MEMORYTYPE_HOST, out.dstHost = part.data();
  out.WidthInBytes = 4, out.Height = 2;
  ASSERT_EQ(cuMemcpy2DUnaligned(&out), CUDA_SUCCESS);
  EXPECT_EQ(part, (std::vector<float>{11, 21}));
  out.WidthInBytes = 3;
  EXPECT_EQ(cuMemcpy2D(&out), CUDA_ERROR_INVALID_VALUE) << "no whole texel";
  EXPECT_EQ(cuMemcpy2D(nullptr), CUDA_ERROR_INVALID_VALUE);

  CUDA_ARRAY_DESCRIPTOR asked{};
  ASSERT_EQ(cuArrayGetDescriptor(&asked, array), CUDA_SUCCESS);
  EXPECT_EQ(asked.Width, 4U);
  EXPECT_EQ(asked.Height, 3U);
  EXPECT_EQ(asked.Format, CU_AD_FORMAT_FLOAT);
  EXPECT_EQ(asked.NumChannels, 1U);
  EXPECT_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
  EXPECT_EQ(cuArrayDestroy(array), CUDA_ERROR_INVALID_VALUE) << "twice";
}

TEST_F(DriverImages, IntegersAreFractionsUnlessAFlagSaysOtherwise) {
  CUarray array = nullptr;
  const CUDA_ARRAY3D_DESCRIPTOR shape{4, 4, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, CUDA_ARRAY3D_SURFACE_LDST};
  ASSERT_EQ(cuArray3DCreate(&array, &shape), CUDA_SUCCESS);
  CUsurfObject surface = 0;
  const CUDA_RESOURCE_DESC resource = resource_of(array);
  ASSERT_EQ(cuSurfObjectCreate(&surface, &resource), CUDA_SUCCESS);
  launch("put", 4, surface, static_cast<unsigned char>(255), 1);
  EXPECT_EQ(read(texture_of(resource, 0), 0.5F, 1.5F, 1), (std::vector<float>{1}));
  EXPECT_EQ(read(texture_of(resource, CU_TRSF_NORMALIZED_COORDINATES), 0.1F, 0.3F, 1), (std::vector<float>{1}));
  EXPECT_EQ(cuSurfObjectDestroy(surface), CUDA_SUCCESS);
  texture_of(resource, CU_TRSF_SRGB, CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(DriverImages, TexturesOverMemory) {
  CUdeviceptr memory = 0;
  std::size_t pitch = 0;
  ASSERT_EQ(cuMemAllocPitch(&memory, &pitch, 12, 2, 4), CUDA_SUCCESS);
  const float rows[] = {1, 2, 3, 4, 5, 6};
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = rows;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE, copy.dstDevice = memory, copy.dstPitch = pitch;
  copy.WidthInBytes = 12, copy.Height = 2, copy.Depth = 1;
  ASSERT_EQ(cuMemcpy3D(&copy), CUDA_SUCCESS);
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  resource.res.pitch2D = {memory, CU_AD_FORMAT_FLOAT, 1, 3, 2, pitch};
  EXPECT_EQ(read(texture_of(resource, 0), 0.5F, 1.5F, 3), (std::vector<float>{4, 5, 6}));
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  texture_of(resource, 0, CUDA_ERROR_NOT_SUPPORTED);
  const CUtexObject none = 0;
  EXPECT_EQ(cuTexObjectDestroy(none), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace driver_images_test
}  // namespace warpfold::host
