// SPDX-License-Identifier: Apache-2.0
// Compiled with -frounding-math; the volatile objects keep each operation between the two changes of direction.
#include "arithmetic.h"

namespace cuda_twin {
namespace {

class Rounding {
 public:
  explicit Rounding(int direction) : before_(std::fegetround()) { std::fesetround(direction); }
  ~Rounding() { std::fesetround(before_); }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;

 private:
  int before_;
};

template <class T>
T hidden(T value) {
  volatile T place = value;
  return place;
}

template <class Result, class Operation, class... Operands>
Result rounded(int direction, Operation operation, Operands... operands) {
  const Rounding rounding(direction);
  return hidden<Result>(operation(hidden(operands)...));
}

}  // namespace

#define CUDA_TWIN_OPERATIONS(type)                                                     \
  type add(int direction, type a, type b) {                                            \
    return rounded<type>(                                                              \
        direction, [](type x, type y) { return x + y; }, a, b);                        \
  }                                                                                    \
  type multiply(int direction, type a, type b) {                                       \
    return rounded<type>(                                                              \
        direction, [](type x, type y) { return x * y; }, a, b);                        \
  }                                                                                    \
  type divide(int direction, type a, type b) {                                         \
    return rounded<type>(                                                              \
        direction, [](type x, type y) { return x / y; }, a, b);                        \
  }                                                                                    \
  type root(int direction, type a) {                                                   \
    return rounded<type>(                                                              \
        direction, [](type x) { return std::sqrt(x); }, a);                            \
  }                                                                                    \
  type fused(int direction, type a, type b, type c) {                                  \
    return rounded<type>(                                                              \
        direction, [](type x, type y, type z) { return std::fma(x, y, z); }, a, b, c); \
  }
CUDA_TWIN_OPERATIONS(float)
CUDA_TWIN_OPERATIONS(double)
#undef CUDA_TWIN_OPERATIONS

float to_float(int direction, double a) {
  return rounded<float>(
      direction, [](double x) { return static_cast<float>(x); }, a);
}

// A long double holds any 64-bit integer: one rounding.
#define CUDA_TWIN_FROM_INTEGER(from)                                                                   \
  float to_float(int direction, from a) {                                                              \
    return rounded<float>(                                                                             \
        direction, [](long double x) { return static_cast<float>(x); }, static_cast<long double>(a));  \
  }                                                                                                    \
  double to_double(int direction, from a) {                                                            \
    return rounded<double>(                                                                            \
        direction, [](long double x) { return static_cast<double>(x); }, static_cast<long double>(a)); \
  }
CUDA_TWIN_FROM_INTEGER(long long)
CUDA_TWIN_FROM_INTEGER(unsigned long long)
#undef CUDA_TWIN_FROM_INTEGER

double integral(int direction, double a) {
  return rounded<double>(
      direction, [](double x) { return std::nearbyint(x); }, a);
}

}  // namespace cuda_twin
