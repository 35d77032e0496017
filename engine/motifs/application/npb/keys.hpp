// The keys that IS sorts: sums of four random numbers, which the benchmark draws in one sequence for all ranks
// (NPB3.4-MPI/IS/is.c, create_seq and find_my_seed). Only the number of keys in each bucket matters for what is sent.
#pragma once

#include <cstdint>
#include <vector>

namespace stressbench::npb {

struct KeyRange {
  int keys_log2;  // of all ranks together
  int max_key_log2;
  int buckets_log2;

  int buckets() const noexcept { return 1 << buckets_log2; }
  int bucket_of(std::int64_t key) const noexcept { return static_cast<int>(key >> (max_key_log2 - buckets_log2)); }
};

using BucketCounts = std::vector<int>;

struct Keys {
  std::vector<BucketCounts> of_rank;
  std::vector<int> first_buckets;  // of rank 0's first keys, in order; empty if the keys were not drawn
};

// Draws the keys as the benchmark does, and keeps the buckets of the first `kept` of rank 0.
Keys draw_keys(const KeyRange& range, int ranks, int kept);

// The number of keys that can be expected in each bucket, the same on every rank.
Keys expected_keys(const KeyRange& range, int ranks);

}  // namespace stressbench::npb
