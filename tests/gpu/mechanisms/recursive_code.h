// SPDX-License-Identifier: Apache-2.0
// Device functions that call themselves, each other, and whatever a pointer or a virtual table leads to: the same text
// for the device and for the test, which has the expected values from it.
#pragma once

#include <cstdint>

#define WARPFOLD_BOTH(...) \
  namespace both {         \
  __VA_ARGS__              \
  }                        \
  inline constexpr const char* kDeviceFunctions = #__VA_ARGS__

namespace warpfold {

#define DEVICE inline
using u32 = std::uint32_t;

// clang-format off
WARPFOLD_BOTH(
DEVICE u32 scramble(u32 x) {
  x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU;
  return x ^ x >> 16;
}

DEVICE u32 fibonacci(u32 n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

DEVICE u32 ackermann(u32 m, u32 n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

// Each other, in two places, and not in turn.
DEVICE u32 pong(u32 n, u32 seed);
DEVICE u32 ping(u32 n, u32 seed) {
  if (n == 0) return seed;
  const u32 first = pong(n - 1, scramble(seed));
  return first % 3 == 0 ? first + 3 * ping(n / 2, seed + n) : first ^ n;
}
DEVICE u32 pong(u32 n, u32 seed) {
  if (n == 0) return seed + 1;
  return seed % 2 == 0 ? scramble(ping(n - 1, seed) + n) : 7 * pong(n - 1, scramble(seed + n)) + seed;
}

// A variable of each activation's own, which those below it write to.
DEVICE u32 descend(u32 n, u32 seed, u32* above) {
  u32 own[5];
  for (u32 i = 0; i < 5; ++i) own[i] = seed * (i + 1) + n;
  above[seed % 5] += n;
  if (n > 0) own[n % 5] ^= descend(n - 1 - (n > 3 && seed % 4 == 0), scramble(seed), own);
  if (n > 0 && own[2] % 3 == 1) own[scramble(n) % 5] += descend(n / 2, own[1], own);
  u32 sum = 0;
  for (u32 i = 0; i < 5; ++i) sum = sum * 31 + own[i];
  return sum;
}

DEVICE void quicksort(u32* values, int low, int high) {
  if (low >= high) return;
  const u32 pivot = values[(low + high) / 2];
  int left = low, right = high;
  while (left <= right) {
    while (values[left] < pivot) ++left;
    while (values[right] > pivot) --right;
    if (left > right) break;
    const u32 value = values[left];
    values[left++] = values[right], values[right--] = value;
  }
  quicksort(values, low, right);
  quicksort(values, left, high);
}
DEVICE u32 sorted(u32 seed) {
  u32 values[16], sum = 0;
  const int count = 1 + seed % 16;
  for (int i = 0; i < count; ++i) values[i] = scramble(seed + i) % 1000;
  quicksort(values, 0, count - 1);
  for (int i = 0; i < count; ++i) sum = sum * 17 + values[i];
  return sum;
}

// Too large for registers, by value both ways.
struct Matrix { unsigned long long a[3]; unsigned char tag; };
DEVICE Matrix power(Matrix base, u32 n) {
  if (n == 0) return base;
  Matrix half = power(base, n / 2);
  half.a[n % 3] += base.a[(n + base.tag) % 3] * n;
  half.tag += 3;
  return half.tag % 5 == 0 ? power(half, n / 3) : half;
}
DEVICE u32 squared(u32 seed) {
  Matrix m;
  for (int i = 0; i < 3; ++i) m.a[i] = scramble(seed + i);
  m.tag = seed;
  m = power(m, seed % 40);
  return (u32)(m.a[0] + m.a[1] * 3 + m.a[2] * 5 + m.tag);
}

struct Node {
  DEVICE virtual u32 value(u32 x) const = 0;
};
struct Leaf : Node {
  u32 own = 0;
  DEVICE u32 value(u32 x) const override { return own + x; }
};
struct Sum : Node {
  const Node *left = nullptr, *right = nullptr;
  DEVICE u32 value(u32 x) const override { return left->value(x) + 5 * right->value(x + 1); }
};
struct Choice : Node {
  const Node *left = nullptr, *right = nullptr;
  DEVICE u32 value(u32 x) const override { return scramble(x) % 2 == 0 ? left->value(x * 3) : right->value(x ^ 9) * 2; }
};
// A tree of objects whose shape is the thread's own.
DEVICE u32 tree(u32 seed) {
  Leaf leaves[3];
  Sum sums[4];
  Choice choices[4];
  for (u32 i = 0; i < 3; ++i) leaves[i].own = scramble(seed + i) % 100;
  const Node* nodes[11] = {&leaves[0], &leaves[1], &leaves[2]};
  for (u32 i = 0; i < 4; ++i) {
    sums[i].left = nodes[scramble(seed + i) % (3 + 2 * i)];
    sums[i].right = nodes[scramble(seed * 3 + i) % (3 + 2 * i)];
    nodes[3 + 2 * i] = &sums[i];
    choices[i].left = nodes[scramble(seed * 5 + i) % (4 + 2 * i)];
    choices[i].right = nodes[scramble(seed * 7 + i) % (4 + 2 * i)];
    nodes[4 + 2 * i] = &choices[i];
  }
  return nodes[10]->value(seed) ^ nodes[9]->value(seed + 1);
}

typedef u32 (*Stepper)(u32, u32);
DEVICE u32 halve(u32 n, u32 seed) { return seed / 2 + n; }
DEVICE u32 triple(u32 n, u32 seed) { return seed * 3 + n; }
// Through the pointer that it is given, and with it.
DEVICE u32 repeat(Stepper step, u32 n, u32 seed) { return n == 0 ? seed : step(n, repeat(step, n - 1, seed + 1)); }
);
// clang-format on

#undef DEVICE

}  // namespace warpfold
