#include "trace/gaps.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/checked.hpp"
#include "core/error.hpp"
#include "core/input_limits.hpp"

namespace stressbench::trace {
namespace {

constexpr double shortest_ns = 64;   // bucket 0 ends here (docs/trace-format.md)
constexpr double longest_ns = 1e18;  // 30 years; keeps sums in range
constexpr int last_bucket = 200;     // 2^106 ns

double lower_ns(int bucket) { return bucket == 0 ? 0 : shortest_ns * std::exp2((bucket - 1) / 2.0); }
double upper_ns(int bucket) { return shortest_ns * std::exp2(bucket / 2.0); }

// The quantiles (i + 0.5) / `count` of the histogram in nanoseconds, interpolated linearly within its buckets.
std::vector<double> quantiles(const Gap& gap, std::int64_t count) {
  std::int64_t total = 0;
  for (const auto& [bucket, times] : gap.buckets) total = checked::sum(total, times);
  std::vector<double> values;
  if (total == 0) return values;
  std::size_t at = 0;
  double before = 0;  // number of times in lower buckets
  for (std::int64_t i = 0; i < count; ++i) {
    const double target = (static_cast<double>(i) + 0.5) / static_cast<double>(count) * static_cast<double>(total);
    while (at + 1 < gap.buckets.size() && target > before + static_cast<double>(gap.buckets[at].second)) {
      before += static_cast<double>(gap.buckets[at++].second);
    }
    const auto [bucket, times] = gap.buckets[at];
    const double share = times == 0 ? 0.5 : (target - before) / static_cast<double>(times);
    const double value = lower_ns(bucket) + share * (upper_ns(bucket) - lower_ns(bucket));
    values.push_back(std::clamp(value, gap.min_s * 1e9, std::max(gap.min_s, gap.max_s) * 1e9));
  }
  return values;
}

}  // namespace

std::vector<std::int64_t> times_from_histogram(const Gap& gap, std::int64_t count, double scale) {
  const double mean = std::min(gap.sum_s * 1e9 / static_cast<double>(gap.times) * scale, longest_ns);
  std::vector<double> values = quantiles(gap, count);
  double sum = 0;
  for (const double value : values) sum += value;
  if (sum <= 0) values.assign(static_cast<std::size_t>(count), 1.0), sum = static_cast<double>(count);
  const double factor = mean * static_cast<double>(count) / sum;
  // The rounding error of each time is carried over to the next.
  std::vector<std::int64_t> times;
  double reached = 0;
  std::int64_t assigned = 0;
  for (const double value : values) {
    reached += value * factor;
    times.push_back(std::llround(reached) - assigned);
    assigned += times.back();
  }
  return times;
}

std::int64_t scaled_ns(double seconds, double scale) {
  return std::llround(std::clamp(seconds * 1e9 * scale, 0.0, longest_ns));
}

std::vector<std::int64_t> times_in_sequence(const RankRecord& record, double scale) {
  if (std::ssize(record.gap_times_ns) != record.sequence_calls) {
    throw UserMistake(
        "the trace has the times before {} of {} calls; `stressbench capture --gap-times` keeps those of {}",
        record.gap_times_ns.size(), record.sequence_calls, input_limits::max_trace_gap_times);
  }
  std::vector<std::int64_t> times_ns;
  for (const std::int64_t time_ns : record.gap_times_ns) times_ns.push_back(scaled_time_ns(time_ns, scale));
  return times_ns;
}

Gap checked_gap(Gap gap, std::size_t calls) {
  if (gap.after < 0 || static_cast<std::size_t>(gap.after) >= calls || gap.times < 1)
    throw UserMistake("a gap of {} times before call {}, which does not exist", gap.times, gap.after);
  for (const auto& [bucket, times] : gap.buckets) {
    if (bucket < 0 || bucket > last_bucket || times < 0) {
      throw UserMistake("a gap before call {} has {} times in bucket {}, which does not exist", gap.after, times,
                        bucket);
    }
  }
  std::ranges::sort(gap.buckets);
  return gap;
}

std::vector<std::int64_t> times_of(const Gap& gap, GapTimes kind, double scale, const Draw& draws) {
  const std::int64_t count = kind == GapTimes::mean ? 1 : std::min(gap.times, max_gap_times);
  const std::vector<std::int64_t> times = times_from_histogram(gap, count, scale);
  std::vector<std::int64_t> shuffled;
  for (const int i : random_permutation(draws, static_cast<int>(count))) {
    shuffled.push_back(times[static_cast<std::size_t>(i)]);
  }
  return shuffled;
}

int bucket_of(double seconds) {
  const double ns = seconds * 1e9;
  if (!(ns >= shortest_ns)) return 0;
  return 1 + static_cast<int>(std::min(std::floor(2 * std::log2(ns / shortest_ns)), last_bucket - 1.0));
}

Gaps::Gaps(const std::vector<Gap>& gaps, std::size_t calls, GapTimes kind, double scale, const Draw& draws) {
  std::vector<Gap> sorted;
  for (const Gap& gap : gaps) sorted.push_back(checked_gap(gap, calls));
  std::ranges::sort(sorted, [](const Gap& a, const Gap& b) {
    return std::tuple(a.after, b.times, a.before) < std::tuple(b.after, a.times, b.before);
  });
  ends_.assign(calls, 0);
  Draw position = draws;
  for (const Gap& gap : sorted) {
    const std::vector<std::int64_t> times = times_of(gap, kind, scale, position);
    const std::size_t first = times_ns_.size();
    times_ns_.insert(times_ns_.end(), times.begin(), times.end());
    pairs_.push_back({gap.before, first, times_ns_.size(), first});
    ends_[static_cast<std::size_t>(gap.after)] = pairs_.size();
    position.execution += draws_per_gap;
  }
  for (std::size_t call = 1; call < calls; ++call) ends_[call] = std::max(ends_[call], ends_[call - 1]);
}

}  // namespace stressbench::trace
