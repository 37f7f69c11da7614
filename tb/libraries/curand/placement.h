// SPDX-License-Identifier: Apache-2.0
// Where the streams of a generator begin: stream s at curand_init(seed, s, skipped), by way of jumps that are computed
// once for all streams.
#pragma once

#include <vector>

#include "draws.cuh"

namespace warpfold::random {

inline std::vector<curandStatePhilox4_32_10_t> placed(curandStatePhilox4_32_10_t, unsigned long long seed,
                                                      unsigned long long skipped) {
  std::vector<curandStatePhilox4_32_10_t> streams(kStreams);
  for (unsigned s = 0; s < kStreams; ++s) curand_init(seed, s, skipped, &streams[s]);
  return streams;
}

// A stream is 2^76 numbers behind the one before it.
inline std::vector<curandStateMRG32k3a_t> placed(curandStateMRG32k3a_t, unsigned long long seed,
                                                 unsigned long long skipped) {
  std::vector<curandStateMRG32k3a_t> streams(kStreams);
  curand_init(seed, 0, skipped, &streams[0]);
  __warpfold_jump step = __warpfold_one_number();
  for (int doubling = 0; doubling < 76; ++doubling) step = __warpfold_twice(step);
  for (unsigned s = 1; s < kStreams; ++s) {
    streams[s] = streams[s - 1];
    __warpfold_apply(step, &streams[s]);
  }
  return streams;
}

// xorwow without its counter is linear over the field of two elements: a matrix of 160 columns.
class XorwowJump {
 public:
  explicit XorwowJump(unsigned long long numbers) : sum_(static_cast<unsigned>(numbers * 362437u)) {
    Matrix power = step();
    jump_ = identity();
    for (; numbers != 0; numbers >>= 1) {
      if ((numbers & 1) != 0) jump_ = product(power, jump_);
      power = product(power, power);
    }
  }
  void operator()(curandStateXORWOW_t* state) const {
    Column column;
    for (unsigned i = 0; i < 5; ++i) column.words[i] = state->v[i];
    column = product(jump_, column);
    for (unsigned i = 0; i < 5; ++i) state->v[i] = column.words[i];
    state->d += sum_;
  }

 private:
  static constexpr unsigned kBits = 160;
  struct Column {
    unsigned words[5] = {};
  };
  using Matrix = std::vector<Column>;

  static Column unit(unsigned bit) {
    Column column;
    column.words[bit / 32] = 1u << bit % 32;
    return column;
  }
  static Matrix identity() {
    Matrix result;
    for (unsigned bit = 0; bit < kBits; ++bit) result.push_back(unit(bit));
    return result;
  }
  static Matrix step() {
    Matrix result;
    for (const Column& column : identity()) {
      curandStateXORWOW_t state = {};
      for (unsigned i = 0; i < 5; ++i) state.v[i] = column.words[i];
      curand(&state);
      result.emplace_back();
      for (unsigned i = 0; i < 5; ++i) result.back().words[i] = state.v[i];
    }
    return result;
  }
  static Column product(const Matrix& matrix, const Column& column) {
    Column sum;
    for (unsigned bit = 0; bit < kBits; ++bit) {
      if ((column.words[bit / 32] >> bit % 32 & 1) == 0) continue;
      for (unsigned i = 0; i < 5; ++i) sum.words[i] ^= matrix[bit].words[i];
    }
    return sum;
  }
  static Matrix product(const Matrix& a, const Matrix& b) {
    Matrix result;
    for (const Column& column : b) result.push_back(product(a, column));
    return result;
  }

  Matrix jump_;
  unsigned sum_;
};

inline std::vector<curandStateXORWOW_t> placed(curandStateXORWOW_t, unsigned long long seed,
                                               unsigned long long skipped) {
  std::vector<curandStateXORWOW_t> streams(kStreams);
  const XorwowJump jump(skipped);
  for (unsigned s = 0; s < kStreams; ++s) {
    curand_init(seed, s, 0, &streams[s]);
    if (skipped != 0) jump(&streams[s]);
  }
  return streams;
}

}  // namespace warpfold::random
