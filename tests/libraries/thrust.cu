// SPDX-License-Identifier: Apache-2.0
// Thrust's algorithms over device vectors, against the C++ library's over the host's.
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "checks.h"

namespace {

using Host = std::vector<int>;
using Device = thrust::device_vector<int>;

struct IsEven {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
struct Square {
  __host__ __device__ long operator()(int x) const { return static_cast<long>(x) * x; }
};
struct SumOfPair {
  __host__ __device__ int operator()(const thrust::tuple<int, int>& pair) const {
    return thrust::get<0>(pair) + thrust::get<1>(pair);
  }
};

bool same(const Device& device, const Host& host) {
  Host back(device.size());
  thrust::copy(device.begin(), device.end(), back.begin());
  return back == host;
}

void scans(const Device& d, const Host& h, Checks& check) {
  Device e(d.size());
  Host r(h.size());
  thrust::inclusive_scan(d.begin(), d.end(), e.begin());
  std::partial_sum(h.begin(), h.end(), r.begin());
  check("inclusive_scan", same(e, r));
  thrust::exclusive_scan(d.begin(), d.end(), e.begin(), 5);
  std::exclusive_scan(h.begin(), h.end(), r.begin(), 5);
  check("exclusive_scan", same(e, r));
}

void reductions(const Device& d, const Host& h, Checks& check) {
  check("reduce", thrust::reduce(d.begin(), d.end()) == std::accumulate(h.begin(), h.end(), 0));
  const long squares = thrust::transform_reduce(d.begin(), d.end(), Square(), 0L, thrust::plus<long>());
  check("transform_reduce", squares == std::accumulate(h.begin(), h.end(), 0L,
                                                       [](long sum, int x) { return sum + static_cast<long>(x) * x; }));
  check("count_if", thrust::count_if(d.begin(), d.end(), IsEven()) == std::count_if(h.begin(), h.end(), IsEven()));
  check("max_element", *thrust::max_element(d.begin(), d.end()) == *std::max_element(h.begin(), h.end()));
  check("inner_product", thrust::inner_product(d.begin(), d.end(), d.begin(), 0L) == squares);
  Device keys(1000), ones(1000, 1), unique_keys(10), sums(10);
  thrust::transform(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(1000), keys.begin(),
                    [] __device__(int i) { return i / 100; });
  const auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), ones.begin(), unique_keys.begin(), sums.begin());
  check("reduce_by_key", ends.first - unique_keys.begin() == 10 && same(sums, Host(10, 100)));
}

void copies(const Device& d, const Host& h, Checks& check) {
  Device e(d.size());
  Host r(h.size());
  thrust::transform(d.begin(), d.end(), e.begin(), thrust::negate<int>());
  std::transform(h.begin(), h.end(), r.begin(), std::negate<int>());
  check("transform", same(e, r));
  e.erase(thrust::copy_if(d.begin(), d.end(), e.begin(), IsEven()), e.end());
  r.erase(std::copy_if(h.begin(), h.end(), r.begin(), IsEven()), r.end());
  check("copy_if", same(e, r));
  const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(d.begin(), d.begin()));
  e.resize(d.size());
  thrust::transform(pairs, pairs + static_cast<long>(d.size()), e.begin(), SumOfPair());
  r.resize(h.size());
  std::transform(h.begin(), h.end(), r.begin(), [](int x) { return 2 * x; });
  check("zip_iterator", same(e, r));
  thrust::for_each(thrust::device, e.begin(), e.end(), [] __device__(int& x) { x /= 2; });
  check("for_each", same(e, h));
  thrust::stable_partition(e.begin(), e.end(), IsEven());
  r = h;
  std::stable_partition(r.begin(), r.end(), IsEven());
  check("stable_partition", same(e, r));
  thrust::sequence(e.begin(), e.end(), 7, 3);
  for (int i = 0; i < static_cast<int>(r.size()); ++i) r[i] = 7 + 3 * i;
  check("sequence", same(e, r));
}

void sorts(Device d, Host h, Checks& check) {
  Device places(d.size()), keys = d;
  Host order(h.size());
  thrust::sequence(places.begin(), places.end());
  std::iota(order.begin(), order.end(), 0);
  thrust::stable_sort_by_key(keys.begin(), keys.end(), places.begin());
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return h[a] < h[b]; });
  check("stable_sort_by_key", same(places, order));
  thrust::gather(places.begin(), places.end(), d.begin(), keys.begin());
  std::transform(order.begin(), order.end(), order.begin(), [&](int at) { return h[at]; });
  check("gather", same(keys, order));
  thrust::sort(d.begin(), d.end(), thrust::greater<int>());  // by merging; the one above by digits
  std::sort(h.begin(), h.end(), std::greater<int>());
  check("sort", same(d, h));
  d.erase(thrust::unique(d.begin(), d.end()), d.end());
  h.erase(std::unique(h.begin(), h.end()), h.end());
  check("unique", same(d, h));
  check("lower_bound", thrust::lower_bound(d.begin(), d.end(), 500, thrust::greater<int>()) - d.begin() ==
                           std::lower_bound(h.begin(), h.end(), 500, std::greater<int>()) - h.begin());
}

}  // namespace

int main() {
  Checks check;
  Host h(3000);
  for (int i = 0; i < 3000; ++i) h[i] = i * 7919 % 1009;
  const Device d(h.begin(), h.end());
  scans(d, h, check);
  reductions(d, h, check);
  copies(d, h, check);
  sorts(d, h, check);
  return check.end();
}
