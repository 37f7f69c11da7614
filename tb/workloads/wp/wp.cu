// SPDX-License-Identifier: Apache-2.0
// The moist physics of a weather forecast: a thread takes a column of air from the top down, carries the wind's freight
// in from the neighbouring columns, and lets clouds form, rain, freeze, melt and evaporate with a simple one-moment
// scheme after Kessler (Meteorological Monographs 10, 1969). What happens to a cell depends on what is in it.
//
//   wp [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

// Device and host are compared bit by bit: every operation is rounded on its own.
#pragma clang fp contract(off)

using workload::DeviceBuffer;

constexpr const char* kProgram = "wp";
constexpr int kBlockSize = 8;
constexpr int kMostLevels = 32;
constexpr int kMostEvaporations = 6;
constexpr float kLatentHeat = 2.5f;      // kelvin for a gram per kilogram that condenses
constexpr float kFusionHeat = 0.33f;     // and that freezes
constexpr float kCloudThreshold = 0.3f;  // g/kg of droplets that begin to fall
constexpr float kColdCloud = -12.0f;     // degrees Celsius below which what falls is snow
constexpr float kFirmFrost = -5.0f;      // below which all rain freezes
constexpr float kDryAir = 0.85f;         // of saturation, in which rain evaporates
constexpr float kRainSpeed = 0.8f;       // levels per time step, for the lightest rain
constexpr float kSnowSpeed = 0.3f;

enum Field { kTemperature, kVapour, kCloud, kRain, kSnow, kFields };

// In degrees Celsius and g/kg.
struct Air {
  float value[kFields];
};

struct Grid {
  int width;
  int height;
  int levels;  // 0 at the ground
  float pressure[kMostLevels];
};

// The saturated vapour pressure doubles every ten kelvin, near enough; a power of eight does, too.
__host__ __device__ inline float saturation(float temperature, float pressure) {
  float power = temperature > -100.0f ? 1.0f + 0.009f * temperature : 0.1f;
  power = power * power;
  power = power * power;
  power = power * power;
  return 622.0f * 6.1f * power / pressure;
}

__device__ inline void condense(Air& air, float pressure) {
  const float excess = air.value[kVapour] - saturation(air.value[kTemperature], pressure);
  float condensed = 0.0f;
  if (excess > 0.0f) {
    condensed = 0.5f * excess;
  } else if (air.value[kCloud] > 0.0f) {
    condensed = 0.5f * excess;
    if (condensed < -air.value[kCloud]) condensed = -air.value[kCloud];
  } else {
    return;
  }
  air.value[kVapour] -= condensed;
  air.value[kCloud] += condensed;
  air.value[kTemperature] += kLatentHeat * condensed;
}

// Droplets become drops or flakes, more of them where some fall already.
__device__ inline void convert(Air& air) {
  if (air.value[kCloud] <= kCloudThreshold) return;
  float converted = 0.2f * (air.value[kCloud] - kCloudThreshold);
  if (air.value[kRain] > 0.0f) {
    converted += 0.5f * air.value[kCloud] * air.value[kRain];
    if (converted > air.value[kCloud]) converted = air.value[kCloud];
  }
  air.value[kCloud] -= converted;
  if (air.value[kTemperature] < kColdCloud) {
    air.value[kSnow] += converted;
    air.value[kTemperature] += kFusionHeat * converted;
  } else {
    air.value[kRain] += converted;
  }
}

__device__ inline void freeze_or_melt(Air& air) {
  const float temperature = air.value[kTemperature];
  if (temperature < 0.0f) {
    if (air.value[kRain] > 0.0f) {
      const float frozen = temperature < kFirmFrost ? air.value[kRain] : 0.1f * -temperature * air.value[kRain];
      air.value[kRain] -= frozen;
      air.value[kSnow] += frozen;
      air.value[kTemperature] += kFusionHeat * frozen;
    }
  } else if (air.value[kSnow] > 0.0f) {
    float melted = 0.05f * temperature;
    if (melted > air.value[kSnow]) melted = air.value[kSnow];
    air.value[kSnow] -= melted;
    air.value[kRain] += melted;
    air.value[kTemperature] -= kFusionHeat * melted;
  }
}

// A little at a time, as it cools the air that takes it up.
__device__ inline void evaporate(Air& air, float pressure) {
#pragma unroll 1
  for (int i = 0; i < kMostEvaporations && air.value[kRain] > 0.0f; ++i) {
    const float wanted = kDryAir * saturation(air.value[kTemperature], pressure) - air.value[kVapour];
    if (wanted <= 0.0f) break;
    float evaporated = 0.02f + 0.05f * wanted;
    if (evaporated > air.value[kRain]) evaporated = air.value[kRain];
    air.value[kRain] -= evaporated;
    air.value[kVapour] += evaporated;
    air.value[kTemperature] -= kLatentHeat * evaporated;
  }
}

// Gives what leaves the cell at its bottom, in as many parts as keep each below what is there: heavy rain is fast.
__device__ inline float fall(float& amount, float speed) {
  if (amount <= 0.0f) return 0.0f;
  const float levels = speed * (1.0f + sqrtf(amount));
  const int parts = 1 + static_cast<int>(2.0f * levels);
  const float share = levels / static_cast<float>(parts);
  float fallen = 0.0f;
#pragma unroll 1
  for (int i = 0; i < parts; ++i) {
    const float moved = share * amount;
    amount -= moved;
    fallen += moved;
  }
  return fallen;
}

// `from` and `to` hold kFields fields of all levels; `wind` the way of the wind in cells per time step, west to east
// and then south to north; `ground` what has fallen onto it.
__global__ void advance(Grid grid, const float* wind, const float* from, float* to, float* ground) {
  const int x = static_cast<int>(blockIdx.x) * kBlockSize + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * kBlockSize + static_cast<int>(threadIdx.y);
  if (x >= grid.width || y >= grid.height) return;
  const int column = y * grid.width + x;
  const int layer = grid.width * grid.height;
  const int cells = grid.levels * layer;
  float rain = 0.0f;
  float snow = 0.0f;
#pragma unroll 1
  for (int level = grid.levels - 1; level >= 0; --level) {
    const int cell = level * layer + column;
    const float east = wind[cell];
    const float north = wind[cells + cell];
    int side = cell;
    if (east > 0.0f) {
      if (x > 0) side = cell - 1;
    } else {
      if (x + 1 < grid.width) side = cell + 1;
    }
    int along = cell;
    if (north > 0.0f) {
      if (y > 0) along = cell - grid.width;
    } else {
      if (y + 1 < grid.height) along = cell + grid.width;
    }
    Air air;
    for (int field = 0; field < kFields; ++field) {
      const float here = from[field * cells + cell];
      air.value[field] = here + fabsf(east) * (from[field * cells + side] - here) +
                         fabsf(north) * (from[field * cells + along] - here);
    }
    air.value[kRain] += rain;
    air.value[kSnow] += snow;
    condense(air, grid.pressure[level]);
    convert(air);
    freeze_or_melt(air);
    evaporate(air, grid.pressure[level]);
    rain = fall(air.value[kRain], kRainSpeed);
    snow = fall(air.value[kSnow], kSnowSpeed);
    for (int field = 0; field < kFields; ++field) to[field * cells + cell] = air.value[field];
  }
  ground[column] += rain + snow;
}

namespace {

// Smooth noise: the sum of bumps, between 0 and about 1.
std::vector<float> bumps(const Grid& grid, int count, workload::Random& random) {
  std::vector<float> field(static_cast<size_t>(grid.width) * grid.height, 0.0f);
  for (int bump = 0; bump < count; ++bump) {
    const int left = static_cast<int>(random.below(grid.width));
    const int top = static_cast<int>(random.below(grid.height));
    const int radius = 2 + static_cast<int>(random.below(6));
    const float size = random.unit();
    for (int y = std::max(0, top - radius); y < std::min(grid.height, top + radius + 1); ++y) {
      for (int x = std::max(0, left - radius); x < std::min(grid.width, left + radius + 1); ++x) {
        const int distance = (x - left) * (x - left) + (y - top) * (y - top);
        const float height = 1.0f - static_cast<float>(distance) / static_cast<float>(radius * radius + 1);
        float& value = field[y * grid.width + x];
        if (height > 0.0f) value = std::max(value, size * height);
      }
    }
  }
  return field;
}

// A summer's day of showers: dry air with moist, warm bubbles, colder by 4 kelvin from level to level.
std::vector<float> initial_air(const Grid& grid, workload::Random& random) {
  const int layer = grid.width * grid.height;
  const int cells = grid.levels * layer;
  std::vector<float> air(static_cast<size_t>(kFields) * cells, 0.0f);
  for (int level = 0; level < grid.levels; ++level) {
    const std::vector<float> moist = bumps(grid, layer / 60, random);
    for (int i = 0; i < layer; ++i) {
      const int cell = level * layer + i;
      const float temperature = 24.0f - 4.0f * static_cast<float>(level) + 2.0f * moist[i] + random.unit();
      const float humidity = 0.65f + 0.6f * moist[i] + 0.4f * random.unit();
      air[kTemperature * cells + cell] = temperature;
      air[kVapour * cells + cell] = humidity * saturation(temperature, grid.pressure[level]);
      if (humidity > 1.1f) air[kCloud * cells + cell] = random.unit();
    }
  }
  return air;
}

std::vector<float> random_wind(const Grid& grid, workload::Random& random) {
  std::vector<float> wind;
  for (int component = 0; component < 2; ++component) {
    for (int level = 0; level < grid.levels; ++level) {
      const std::vector<float> gusts = bumps(grid, grid.width * grid.height / 40, random);
      for (const float gust : gusts) wind.push_back(0.8f * gust - 0.3f);
    }
  }
  return wind;
}

// The check goes through the whole layer process by process, with selections in place of branches.
class Reference {
 public:
  Reference(const Grid& grid, const std::vector<float>& wind, const std::vector<float>& air)
      : grid_(grid),
        layer_(grid.width * grid.height),
        cells_(grid.levels * layer_),
        wind_(wind),
        air_(air),
        ground_(layer_, 0.0f) {}

  void advance() {
    air_ = carried();
    std::vector<float> rain(layer_, 0.0f);
    std::vector<float> snow(layer_, 0.0f);
    for (int level = grid_.levels - 1; level >= 0; --level) {
      for (int i = 0; i < layer_; ++i) at(kRain, level, i) += rain[i];
      for (int i = 0; i < layer_; ++i) at(kSnow, level, i) += snow[i];
      for (int i = 0; i < layer_; ++i) change_phase(level, i);
      for (int i = 0; i < layer_; ++i) rain_out_of_cloud(level, i);
      for (int i = 0; i < layer_; ++i) exchange_ice(level, i);
      for (int i = 0; i < layer_; ++i) dry_out_rain(level, i);
      for (int i = 0; i < layer_; ++i) rain[i] = fallen(at(kRain, level, i), kRainSpeed);
      for (int i = 0; i < layer_; ++i) snow[i] = fallen(at(kSnow, level, i), kSnowSpeed);
    }
    for (int i = 0; i < layer_; ++i) ground_[i] += rain[i] + snow[i];
  }

  const std::vector<float>& air() const { return air_; }
  const std::vector<float>& ground() const { return ground_; }

 private:
  float& at(int field, int level, int i) { return air_[field * cells_ + level * layer_ + i]; }

  std::vector<float> carried() const {
    std::vector<float> carried(air_.size());
    for (size_t i = 0; i < air_.size(); ++i) {
      const int cell = static_cast<int>(i) % cells_;
      const int x = cell % grid_.width;
      const int y = cell / grid_.width % grid_.height;
      const float east = wind_[cell];
      const float north = wind_[cells_ + cell];
      const int west_or_east = std::min(std::max(x + (east > 0.0f ? -1 : 1), 0), grid_.width - 1) - x;
      const int south_or_north = std::min(std::max(y + (north > 0.0f ? -1 : 1), 0), grid_.height - 1) - y;
      carried[i] = air_[i] + std::fabs(east) * (air_[i + west_or_east] - air_[i]) +
                   std::fabs(north) * (air_[i + south_or_north * grid_.width] - air_[i]);
    }
    return carried;
  }

  void change_phase(int level, int i) {
    const float excess = at(kVapour, level, i) - saturation(at(kTemperature, level, i), grid_.pressure[level]);
    const float change = std::max(0.5f * excess, std::min(0.0f, -at(kCloud, level, i)));
    at(kVapour, level, i) -= change;
    at(kCloud, level, i) += change;
    at(kTemperature, level, i) += kLatentHeat * change;
  }

  void rain_out_of_cloud(int level, int i) {
    const float cloud = at(kCloud, level, i);
    const float rain = at(kRain, level, i);
    if (!(cloud > kCloudThreshold)) return;
    float change = 0.2f * (cloud - kCloudThreshold);
    change = rain > 0.0f ? std::min(change + 0.5f * cloud * rain, cloud) : change;
    const bool cold = at(kTemperature, level, i) < kColdCloud;
    at(kCloud, level, i) -= change;
    at(cold ? kSnow : kRain, level, i) += change;
    at(kTemperature, level, i) += cold ? kFusionHeat * change : 0.0f;
  }

  void exchange_ice(int level, int i) {
    const float temperature = at(kTemperature, level, i);
    const float rain = at(kRain, level, i);
    const float snow = at(kSnow, level, i);
    const bool frost = temperature < 0.0f;
    if (frost ? !(rain > 0.0f) : !(snow > 0.0f)) return;
    const float freezing = temperature < kFirmFrost ? rain : 0.1f * -temperature * rain;
    const float change = frost ? freezing : -std::min(0.05f * temperature, snow);
    at(kRain, level, i) = rain - change;
    at(kSnow, level, i) = snow + change;
    at(kTemperature, level, i) = temperature + kFusionHeat * change;
  }

  void dry_out_rain(int level, int i) {
    for (int left = kMostEvaporations; left > 0; --left) {
      const float limit = kDryAir * saturation(at(kTemperature, level, i), grid_.pressure[level]);
      const float wanted = limit - at(kVapour, level, i);
      const bool evaporates = at(kRain, level, i) > 0.0f && wanted > 0.0f;
      if (!evaporates) return;
      const float change = std::min(0.02f + 0.05f * wanted, at(kRain, level, i));
      at(kRain, level, i) -= change;
      at(kVapour, level, i) += change;
      at(kTemperature, level, i) -= kLatentHeat * change;
    }
  }

  static float fallen(float& amount, float speed) {
    const float levels = speed * (1.0f + std::sqrt(std::max(amount, 0.0f)));
    const int parts = amount > 0.0f ? 1 + static_cast<int>(2.0f * levels) : 0;
    float sum = 0.0f;
    for (int i = 0; i < parts; ++i) {
      const float moved = levels / static_cast<float>(parts) * amount;
      amount -= moved;
      sum += moved;
    }
    return sum;
  }

  const Grid grid_;
  const int layer_;
  const int cells_;
  const std::vector<float>& wind_;
  std::vector<float> air_;
  std::vector<float> ground_;
};

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  workload::Random random(options.seed);
  Grid grid = {};
  grid.width = workload::by_size(options.size, 20, 256, 320);
  grid.height = workload::by_size(options.size, 12, 240, 256);
  grid.levels = workload::by_size(options.size, 12, 20, 20);
  const int steps = workload::by_size(options.size, 2, 2, 8);
  for (int level = 0; level < grid.levels; ++level) grid.pressure[level] = 1000.0f - 40.0f * static_cast<float>(level);
  const std::vector<float> start = initial_air(grid, random);
  const std::vector<float> wind = random_wind(grid, random);

  const DeviceBuffer<float> device_wind(wind);
  const DeviceBuffer<float> ping(start);
  const DeviceBuffer<float> pong(start.size());
  const DeviceBuffer<float> ground(std::vector<float>(static_cast<size_t>(grid.width) * grid.height, 0.0f));
  const dim3 blocks((grid.width + kBlockSize - 1) / kBlockSize, (grid.height + kBlockSize - 1) / kBlockSize);
  for (int step = 0; step < steps; ++step) {
    advance<<<blocks, dim3(kBlockSize, kBlockSize)>>>(grid, device_wind.get(), (step % 2 == 0 ? ping : pong).get(),
                                                      (step % 2 == 0 ? pong : ping).get(), ground.get());
    workload::check_launch("advance");
  }

  Reference reference(grid, wind, start);
  for (int step = 0; step < steps; ++step) reference.advance();
  const std::vector<float> fallen = ground.download();
  const auto wet = std::count_if(fallen.begin(), fallen.end(), [](float amount) { return amount > 0.0f; });
  std::printf("wp: %d x %d columns of %d levels, %d time steps; it rains or snows on %zu\n", grid.width, grid.height,
              grid.levels, steps, static_cast<size_t>(wet));
  const std::string why = workload::compare(fallen, reference.ground(), 0.0f);
  if (!why.empty()) return workload::verdict(why + " on the ground");
  return workload::verdict(workload::compare((steps % 2 == 0 ? ping : pong).download(), reference.air(), 0.0f));
}
