// SPDX-License-Identifier: Apache-2.0
// A portfolio of swaptions by simulation in the LIBOR market model (Brace, Gatarek, Musiela, Mathematical Finance
// 1997): every thread evolves forward rates along one path, each rate with a drift that depends on those before it, and
// adds up what the swaptions are worth at the end.
//
//   libor [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

using workload::DeviceBuffer;

constexpr const char* kProgram = "libor";
constexpr int kBlockSize = 64;
constexpr int kMostRates = 64;
constexpr int kMostSwaptions = 16;
constexpr float kPeriod = 0.25f;  // years between two dates

// The right to pay a fixed rate from the end of the simulation on, for so many periods.
struct Swaption {
  int periods;
  float rate;
};

__constant__ float volatilities[kMostRates];  // by the periods until a rate is fixed
__constant__ Swaption swaptions[kMostSwaptions];

// The rate of period i is fixed at date i; until then date n moves it by its volatility times the path's normal number,
// with the drift under the measure of the spot account. Rates come and go in `rates`; `discount` is the account's.
__device__ float evolve(int dates, int rate_count, float bump, int paths, const float* normals, float* rates) {
  const float root = sqrtf(kPeriod);
  float discount = 1.0f;
  for (int n = 0; n < dates; ++n) {
    const float shock = root * normals[n * paths];
    discount /= 1.0f + kPeriod * rates[n];
    float drift = 0.0f;
    for (int i = n + 1; i < rate_count; ++i) {
      const float volatility = bump * volatilities[i - n - 1];
      const float rate = rates[i];
      drift += volatility * kPeriod * rate / (1.0f + kPeriod * rate);
      rates[i] = rate * expf(volatility * (kPeriod * (drift - 0.5f * volatility) + shock));
    }
  }
  return discount;
}

// normals[date][path]. What a path makes the portfolio worth today, per unit of principal.
__global__ void simulate(int paths, int dates, int rate_count, int swaption_count, float first_rate, float bump,
                         const float* normals, float* values) {
  const int path = static_cast<int>(blockIdx.x * kBlockSize + threadIdx.x);
  if (path >= paths) return;
  float rates[kMostRates];
  for (int i = 0; i < rate_count; ++i) rates[i] = first_rate;
  const float discount = evolve(dates, rate_count, bump, paths, normals + path, rates);

  // Swaptions come by their length: one walk along the curve passes all of them.
  float value = 0.0f;
  float bond = 1.0f;
  float annuity = 0.0f;
  int next = 0;
  for (int i = dates; i < rate_count && next < swaption_count; ++i) {
    bond /= 1.0f + kPeriod * rates[i];
    annuity += kPeriod * bond;
    for (; next < swaption_count && swaptions[next].periods == i - dates + 1; ++next) {
      const float swap = 1.0f - bond - swaptions[next].rate * annuity;
      if (swap > 0.0f) value += discount * swap;
    }
  }
  values[path] = value;
}

namespace {

struct Model {
  int paths;
  int dates;       // of the simulation
  int rate_count;  // some rates are left at its end
  float first_rate;
  std::vector<float> volatilities;
  std::vector<Swaption> swaptions;
  std::vector<float> normals;
};

Model make_model(workload::Size size, workload::Random& random) {
  Model model;
  model.paths = workload::by_size(size, 100, 61440, 122880);
  model.dates = workload::by_size(size, 4, 6, 12);
  model.rate_count = workload::by_size(size, 10, 16, 32);
  model.first_rate = 0.05f;
  for (int i = 0; i < model.rate_count; ++i) {  // humped, as caps are quoted
    const float years = kPeriod * static_cast<float>(i);
    model.volatilities.push_back(0.1f + (0.05f + 0.1f * years) * std::exp(-0.5f * years));
  }
  const int left = model.rate_count - model.dates;
  for (int length = 1; length <= 5; ++length) {
    for (const float rate : {0.045f, 0.05f, 0.055f}) model.swaptions.push_back({left * length / 5, rate});
  }
  model.normals.resize(static_cast<size_t>(model.paths) * model.dates);
  for (float& normal : model.normals) {  // Box and Muller
    const double radius = std::sqrt(-2.0 * std::log(1.0 - double{random.unit()}));
    normal = static_cast<float>(radius * std::cos(6.283185307179586 * random.unit()));
  }
  return model;
}

// One path in double precision, with bonds instead of rates and each swaption for itself.
double value_on_host(const Model& model, double bump, int path) {
  std::vector<double> growth(model.rate_count, 1.0 + double{kPeriod} * model.first_rate);
  double account = 1.0;
  for (int n = 0; n < model.dates; ++n) {
    const double normal = model.normals[static_cast<size_t>(n) * model.paths + path];
    account *= growth[n];
    double drift = 0.0;
    for (int i = n + 1; i < model.rate_count; ++i) {
      const double volatility = bump * model.volatilities[i - n - 1];
      drift += volatility * (1.0 - 1.0 / growth[i]);
      const double log_move = volatility * drift * kPeriod - 0.5 * volatility * volatility * kPeriod +
                              volatility * std::sqrt(double{kPeriod}) * normal;
      growth[i] = 1.0 + (growth[i] - 1.0) * std::exp(log_move);
    }
  }
  double value = 0.0;
  for (const Swaption& swaption : model.swaptions) {
    double bond = 1.0;
    double fixed = 0.0;
    for (int i = 0; i < swaption.periods; ++i) {
      bond /= growth[model.dates + i];
      fixed += swaption.rate * kPeriod * bond;
    }
    value += std::max(1.0 - bond - fixed, 0.0) / account;
  }
  return value;
}

std::string check(const Model& model, double bump, const std::vector<float>& values) {
  std::vector<float> expected;
  for (int path = 0; path < model.paths; ++path) {
    expected.push_back(static_cast<float>(value_on_host(model, bump, path)));
  }
  return workload::compare(values, expected, 2e-5f);
}

double mean(const std::vector<float>& values) {
  double sum = 0.0;
  for (const float value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  workload::Random random(options.seed);
  const Model model = make_model(options.size, random);
  const int swaption_count = static_cast<int>(model.swaptions.size());
  workload::check_cuda(
      cudaMemcpyToSymbol(volatilities, model.volatilities.data(), model.volatilities.size() * sizeof(float)),
      "cudaMemcpyToSymbol");
  workload::check_cuda(cudaMemcpyToSymbol(swaptions, model.swaptions.data(), model.swaptions.size() * sizeof(Swaption)),
                       "cudaMemcpyToSymbol");

  const DeviceBuffer<float> device_normals(model.normals);
  const DeviceBuffer<float> device_values(model.paths);
  const int blocks = (model.paths + kBlockSize - 1) / kBlockSize;
  std::vector<double> prices;
  std::string why;
  for (const float bump : {1.0f, 1.01f}) {
    simulate<<<blocks, kBlockSize>>>(model.paths, model.dates, model.rate_count, swaption_count, model.first_rate, bump,
                                     device_normals.get(), device_values.get());
    workload::check_launch("simulate");
    const std::vector<float> values = device_values.download();
    prices.push_back(mean(values));
    if (why.empty()) why = check(model, bump, values);
  }
  std::printf(
      "libor: %d paths over %d dates, %d rates; %d swaptions are worth %.5f, and %.5f more per 1%% volatility\n",
      model.paths, model.dates, model.rate_count, swaption_count, prices[0], prices[1] - prices[0]);
  return workload::verdict(why);
}
