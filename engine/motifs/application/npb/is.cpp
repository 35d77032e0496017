// IS: sorts integers into ranges, one for each rank (NPB3.4-MPI/IS/is.c, rank).

#include <array>
#include <memory>
#include <numeric>
#include <vector>

#include "motifs/application/npb/keys.hpp"
#include "motifs/application/npb/problem.hpp"

namespace stressbench::npb {
namespace {

using calls::CallList;
using calls::ElementType;
using calls::ReduceOp;

struct Size {
  KeyRange range;
  int min_ranks;
  int max_ranks;
};
constexpr std::array<Size, 7> sizes{{{{16, 11, 9}, 1, 128},
                                     {{20, 16, 10}, 1, 1024},
                                     {{23, 19, 10}, 1, 1024},
                                     {{25, 21, 10}, 1, 1024},
                                     {{27, 23, 10}, 1, 1024},
                                     {{31, 27, 10}, 4, 1024},
                                     {{35, 31, 10}, 64, 1024}}};
constexpr int iterations = 10;
constexpr int test_keys = 5;  // whose values are summed with the buckets, to verify their ranks

// Drawing 2^27 keys takes every rank half a second of processor time; more are not drawn.
constexpr int max_drawn_keys_log2 = 27;

// Computation per key in nanoseconds, from the smallest gaps in the reference captures of class A: sorting into buckets
// before the sum, ranking at the end.
constexpr double bucket_ns = 8;
constexpr double rank_ns = 2;

// The keys of all ranks. Cached, since the call lists of all ranks need the same keys.
std::shared_ptr<const Keys> keys_of(ProblemClass size, int ranks) {
  static ProblemClass kept_size;
  static std::shared_ptr<const Keys> kept;
  if (!kept || kept_size != size || kept->of_rank.size() != static_cast<std::size_t>(ranks)) {
    const KeyRange& range = row_of(sizes, size).range;
    const bool drawn = range.keys_log2 <= max_drawn_keys_log2;
    kept =
        std::make_shared<const Keys>(drawn ? draw_keys(range, ranks, 2 * iterations + 1) : expected_keys(range, ranks));
    kept_size = size;
  }
  return kept;
}

// The keys in one iteration, and the rank that receives each bucket.
class Ranking {
 public:
  Ranking(ProblemClass size, int ranks)
      : range_(row_of(sizes, size).range),
        keys_(keys_of(size, ranks)),
        of_first_rank_(keys_->of_rank[0]),
        totals_(static_cast<std::size_t>(range_.buckets())) {
    for (const BucketCounts& counts : keys_->of_rank) {
      for (std::size_t bucket = 0; bucket < totals_.size(); ++bucket) totals_[bucket] += counts[bucket];
    }
  }

  // Replaces two of rank 0's keys, as the benchmark does before iteration 1, 2, ...
  void start(int iteration) {
    if (!keys_->first_buckets.empty()) {
      replace(iteration, iteration);
      replace(iteration + iterations, (std::int64_t{1} << range_.max_key_log2) - iteration);
    }
    assign_buckets();
  }

  // Numbers of keys that a rank sends to each rank, and receives from each.
  std::vector<std::int64_t> sent_by(int rank) const {
    std::vector<std::int64_t> keys(keys_->of_rank.size());
    for (std::size_t bucket = 0; bucket < totals_.size(); ++bucket) keys[owners_[bucket]] += counts(rank)[bucket];
    return keys;
  }
  std::vector<std::int64_t> received_by(int rank) const {
    std::vector<std::int64_t> keys(keys_->of_rank.size());
    for (std::size_t bucket = 0; bucket < totals_.size(); ++bucket) {
      if (owners_[bucket] != static_cast<std::size_t>(rank)) continue;
      for (std::size_t sender = 0; sender < keys.size(); ++sender) {
        keys[sender] += counts(static_cast<int>(sender))[bucket];
      }
    }
    return keys;
  }

 private:
  const BucketCounts& counts(int rank) const {
    return rank == 0 ? of_first_rank_ : keys_->of_rank[static_cast<std::size_t>(rank)];
  }

  void replace(int place, std::int64_t key) {
    const int old_bucket = keys_->first_buckets[static_cast<std::size_t>(place)];
    move_key(old_bucket, -1);
    move_key(range_.bucket_of(key), 1);
  }
  void move_key(int bucket, int change) {
    of_first_rank_[static_cast<std::size_t>(bucket)] += change;
    totals_[static_cast<std::size_t>(bucket)] += change;
  }

  // A rank gets buckets until it and those before it have their share of the keys.
  void assign_buckets() {
    const auto ranks = static_cast<std::int64_t>(keys_->of_rank.size());
    const std::int64_t share = (std::int64_t{1} << range_.keys_log2) / ranks;
    std::int64_t rank = 0;
    std::int64_t keys = 0;
    owners_.clear();
    for (const std::int64_t total : totals_) {
      owners_.push_back(static_cast<std::size_t>(rank));
      keys += total;
      if (keys >= (rank + 1) * share && rank + 1 < ranks) ++rank;
    }
  }

  KeyRange range_;
  std::shared_ptr<const Keys> keys_;
  BucketCounts of_first_rank_;
  std::vector<std::int64_t> totals_;
  std::vector<std::size_t> owners_;
};

}  // namespace

void check_is(ProblemClass size, int ranks) {
  if (size == ProblemClass::f) reject("class", "IS has no class F, only S, W, A, B, C, D and E");
  check_power_of_two("IS", ranks);
  const auto& [range, min_ranks, max_ranks] = row_of(sizes, size);
  if (ranks < min_ranks || ranks > max_ranks) {
    reject("class", "IS of class {} runs on {} to {} ranks, but the job has {}", name_of(size), min_ranks, max_ranks,
           ranks);
  }
}

void write_is(CallList& calls, ProblemClass size, Extent extent) {
  Ranking ranking(size, calls.ranks());
  const auto& comm = calls.all_ranks();
  for (int iteration = 1; iteration <= (extent == Extent::run ? iterations : 1); ++iteration) {
    ranking.start(iteration);
    const std::vector<std::int64_t> sent = ranking.sent_by(calls.rank());
    const std::vector<std::int64_t> received = ranking.received_by(calls.rank());
    calls.compute(bucket_ns * static_cast<double>(std::accumulate(sent.begin(), sent.end(), std::int64_t{0})));
    calls.allreduce(comm, ReduceOp::sum, ElementType::ints, row_of(sizes, size).range.buckets() + test_keys);
    calls.alltoall(comm, ElementType::ints, 1);
    calls.alltoallv(comm, ElementType::ints, sent, received);
    calls.compute(rank_ns * static_cast<double>(std::accumulate(received.begin(), received.end(), std::int64_t{0})));
  }
}

}  // namespace stressbench::npb
