#include "motifs/application/npb/keys.hpp"

#include <array>
#include <cmath>
#include <numeric>

namespace stressbench::npb {
namespace {

// The random numbers x -> a x mod 2^46 (randlc), as integers.
constexpr int random_bits = 46;
constexpr std::uint64_t multiplier = 1220703125;  // 5^13
constexpr std::uint64_t seed = 314159265;
constexpr std::uint64_t multiply(std::uint64_t a, std::uint64_t b) noexcept {
  return a * b & ((std::uint64_t{1} << random_bits) - 1);
}

constexpr std::size_t summands = 4;  // random numbers in a key
constexpr int sum_bits = random_bits + 2;

// Successive keys. Each of the four numbers has its own recurrence, so that a processor computes them in parallel.
class KeySequence {
 public:
  KeySequence() {
    std::uint64_t number = seed;
    for (std::uint64_t& own : numbers_) own = number = multiply(number, multiplier);
  }
  // The next sum, of `sum_bits` bits.
  std::uint64_t next() noexcept {
    const std::uint64_t sum = std::accumulate(numbers_.begin(), numbers_.end(), std::uint64_t{0});
    for (std::uint64_t& number : numbers_) number = multiply(number, stride);
    return sum;
  }

 private:
  static constexpr std::uint64_t stride = multiply(multiply(multiplier, multiplier), multiply(multiplier, multiplier));
  std::array<std::uint64_t, summands> numbers_{};
};

std::int64_t keys_per_rank(const KeyRange& range, int ranks) { return (std::int64_t{1} << range.keys_log2) / ranks; }

// Probability that the sum of four numbers, uniform in (0, 1), is at most x (Irwin-Hall distribution).
double probability_up_to(double x) {
  constexpr std::array coefficients{1.0, -4.0, 6.0, -4.0};  // (-1)^k binomial(4, k)
  double sum = 0;
  for (std::size_t k = 0; k < coefficients.size(); ++k) {
    const double above = x - static_cast<double>(k);
    if (above > 0) sum += coefficients[k] * above * above * above * above;
  }
  return sum / 24;
}

}  // namespace

Keys draw_keys(const KeyRange& range, int ranks, int kept) {
  Keys keys;
  KeySequence sequence;
  const int shift = sum_bits - range.buckets_log2;
  for (int rank = 0; rank < ranks; ++rank) {
    BucketCounts counts(static_cast<std::size_t>(range.buckets()));
    for (std::int64_t k = 0; k < keys_per_rank(range, ranks); ++k) {
      const std::uint64_t bucket = sequence.next() >> shift;
      ++counts[bucket];
      if (rank == 0 && k < kept) keys.first_buckets.push_back(static_cast<int>(bucket));
    }
    keys.of_rank.push_back(std::move(counts));
  }
  return keys;
}

Keys expected_keys(const KeyRange& range, int ranks) {
  const auto keys = static_cast<double>(keys_per_rank(range, ranks));
  BucketCounts counts;
  std::int64_t sum = 0;
  for (int bucket = 1; bucket <= range.buckets(); ++bucket) {
    const double end = static_cast<double>(summands) * bucket / range.buckets();
    const std::int64_t up_to_here = std::llround(keys * probability_up_to(end));
    counts.push_back(static_cast<int>(up_to_here - sum));
    sum = up_to_here;
  }
  return {std::vector(static_cast<std::size_t>(ranks), counts), {}};
}

}  // namespace stressbench::npb
