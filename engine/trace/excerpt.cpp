#include "trace/excerpt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/checked.hpp"
#include "core/error.hpp"
#include "trace/gaps.hpp"
#include "trace/program.hpp"

namespace stressbench::trace {
namespace {

using Pair = std::pair<int, int>;  // call before, call

// The times of two gaps as those of one, between the calls of the first.
Gap merged(Gap gap, const Gap& other) {
  std::map<int, std::int64_t> buckets;
  for (const auto& part : {gap.buckets, other.buckets}) {
    for (const auto& [bucket, times] : part) buckets[bucket] = checked::sum(buckets[bucket], times);
  }
  gap.times = checked::sum(gap.times, other.times);
  gap.sum_s += other.sum_s;
  gap.min_s = std::min(gap.min_s, other.min_s);
  gap.max_s = std::max(gap.max_s, other.max_s);
  gap.buckets.assign(buckets.begin(), buckets.end());
  return gap;
}

class GapsByPair {
 public:
  GapsByPair(const RankRecord& record, Pair last_and_first)
      : calls_(record.calls.size()), tail_s_(record.tail_s), last_and_first_(last_and_first) {
    for (const Gap& gap : record.gaps) gaps_.emplace(Pair{gap.before, gap.after}, &gap);
  }

  // None if the trace lacks it.
  std::optional<Gap> between(Pair pair) const {
    std::optional<Gap> gap = recorded(pair);
    if (pair != last_and_first_) return gap;
    std::optional<Gap> start = recorded({-1, pair.second});
    if (!start) return gap;
    start->before = pair.first;
    start->sum_s += tail_s_;
    start->min_s = start->max_s = start->sum_s / static_cast<double>(start->times);
    start->buckets = {{bucket_of(start->max_s), start->times}};
    return gap ? merged(*gap, *start) : start;
  }

 private:
  std::optional<Gap> recorded(Pair pair) const {
    const auto found = gaps_.find(pair);
    if (found == gaps_.end()) return std::nullopt;
    return checked_gap(*found->second, calls_);
  }

  std::size_t calls_;
  double tail_s_;
  Pair last_and_first_;
  std::map<Pair, const Gap*> gaps_;
};

// The calls at positions `first` - 1 (at the start of the sequence: its last call) to `first` + `count` - 1.
std::vector<int> calls_with_previous(Program& program, std::int64_t first, std::int64_t count) {
  std::vector<int> calls;
  calls.reserve(static_cast<std::size_t>(count) + 1);
  if (first == 0) calls.push_back(program.last_call());
  std::int64_t position = 0;
  program.walk([&](int call) {
    if (position >= first - 1) calls.push_back(call);
    return ++position < first + count;
  });
  return calls;
}

}  // namespace

Excerpt::Excerpt(const RankRecord& record, std::int64_t first, std::int64_t count) {
  try {
    Program program(record.rules, record.calls.size(), record.sequence_calls);
    if (count == 0) return;
    if (count > record.sequence_calls - first) {
      const std::string needed =
          count == 1 ? fmt::format("call {} is", first) : fmt::format("calls {} to {} are", first, first + count - 1);
      throw UserMistake("the sequence has {} calls, counted from 0; {} needed", record.sequence_calls, needed);
    }
    read(record, program, first, count);
  } catch (const UserMistake& mistake) {
    throw UserMistake("rank {}: {}", record.rank, mistake.what());
  }
}

void Excerpt::read(const RankRecord& record, Program& program, std::int64_t first, std::int64_t count) {
  const std::vector<int> calls = calls_with_previous(program, first, count);
  const GapsByPair recorded(record, {program.last_call(), calls_with_previous(program, 0, 1).back()});
  previous_call_ = calls.front();
  std::map<Pair, int> known;
  for (std::size_t k = 1; k < calls.size(); ++k) {
    const auto [pair, is_new] = known.try_emplace({calls[k - 1], calls[k]}, static_cast<int>(gaps_.size()));
    if (is_new) {
      std::optional<Gap> gap = recorded.between(pair->first);
      if (!gap) {
        throw UserMistake("the trace has no time before call {}: there were too many different pairs of calls",
                          first + static_cast<std::int64_t>(calls_.size()));
      }
      gaps_.push_back(std::move(*gap));
    }
    calls_.push_back(calls[k]);
    gap_indices_.push_back(pair->second);
  }
}

}  // namespace stressbench::trace
