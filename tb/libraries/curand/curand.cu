// SPDX-License-Identifier: Apache-2.0
// cuRAND's host interface (models/host/include/curand.h).
#include <cstdio>
#include <new>

#pragma GCC visibility push(default)
#include <curand.h>
#pragma GCC visibility pop

#include "generator.h"

namespace warpfold::random {
namespace {

curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, const char* call, bool on_host) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  curandGenerator_t made = nullptr;
  try {
    switch (type) {
      case CURAND_RNG_PSEUDO_DEFAULT:
      case CURAND_RNG_PSEUDO_XORWOW:
        made = new curandGenerator_st{{}, Streams<curandStateXORWOW_t>()};
        break;
      case CURAND_RNG_PSEUDO_MRG32K3A:
        made = new curandGenerator_st{{}, Streams<curandStateMRG32k3a_t>()};
        break;
      case CURAND_RNG_PSEUDO_PHILOX4_32_10:
        made = new curandGenerator_st{{}, Streams<curandStatePhilox4_32_10_t>()};
        break;
      default:
        std::fprintf(stderr,
                     "warpfold: warning: %s: generator type %d is not there; CURAND_RNG_PSEUDO_XORWOW (the default), "
                     "_MRG32K3A and _PHILOX4_32_10 are\n",
                     call, static_cast<int>(type));
        return CURAND_STATUS_TYPE_ERROR;
    }
  } catch (const std::bad_alloc&) {
    return CURAND_STATUS_ALLOCATION_FAILED;
  }
  made->settings.on_host = on_host;
  *generator = made;
  return CURAND_STATUS_SUCCESS;
}

void restart(curandGenerator_t generator) {
  std::visit([](auto& streams) { streams.restart(); }, generator->streams);
}

template <class Draw>
curandStatus_t generate(curandGenerator_t generator, const Draw& draw, typename Draw::Value* values, size_t count) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (count % Draw::kValues != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  if (count == 0) return CURAND_STATUS_SUCCESS;
  if (values == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  try {
    return std::visit([&](auto& streams) { return streams.draw(generator->settings, draw, values, count); },
                      generator->streams);
  } catch (const std::bad_alloc&) {
    return CURAND_STATUS_ALLOCATION_FAILED;
  }
}

}  // namespace
}  // namespace warpfold::random

using namespace warpfold::random;

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, "curandCreateGenerator", false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, "curandCreateGeneratorHost", true);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetVersion(int* version) {
  if (version == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetProperty(libraryPropertyType property, int* value) {
  static constexpr int kVersion[] = {CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH};
  if (value == nullptr || property < MAJOR_VERSION || property > PATCH_LEVEL) return CURAND_STATUS_OUT_OF_RANGE;
  *value = kVersion[property];
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->settings.stream = stream;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->settings.seed = seed;
  restart(generator);
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->settings.offset = offset;
  restart(generator);
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  const bool known = order >= CURAND_ORDERING_PSEUDO_BEST && order <= CURAND_ORDERING_PSEUDO_DYNAMIC;
  return known ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
}
// No generator here is a quasirandom one.
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned int) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_TYPE_ERROR;
}
// 64 bits at once are for Sobol's generators of that width.
curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long*, size_t) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_TYPE_ERROR;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  restart(generator);
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int* numbers, size_t count) {
  return generate(generator, Bits{}, numbers, count);
}
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* numbers, size_t count) {
  return generate(generator, Uniform{}, numbers, count);
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* numbers, size_t count) {
  return generate(generator, UniformDouble{}, numbers, count);
}
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* numbers, size_t count, float mean,
                                    float deviation) {
  return generate(generator, Normal{mean, deviation, false}, numbers, count);
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* numbers, size_t count, double mean,
                                          double deviation) {
  return generate(generator, NormalDouble{mean, deviation, false}, numbers, count);
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* numbers, size_t count, float mean,
                                       float deviation) {
  return generate(generator, Normal{mean, deviation, true}, numbers, count);
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* numbers, size_t count, double mean,
                                             double deviation) {
  return generate(generator, NormalDouble{mean, deviation, true}, numbers, count);
}
curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int* numbers, size_t count, double lambda) {
  if (generator != nullptr && !(lambda > 0)) return CURAND_STATUS_OUT_OF_RANGE;
  return generate(generator, Poisson{lambda}, numbers, count);
}

}  // extern "C"
