// Times of the pairs in which a rank is the lower one, and the CSV file with those of all ranks
// (docs/motifs/all_pairs.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "io/appended_file.hpp"
#include "mpi/group.hpp"

namespace stressbench {

class PairTimes {
 public:
  static constexpr std::size_t max_samples = 31;  // of a pair: those of its most recent tournaments

  PairTimes(int rank, int ranks);
  void add(int higher_rank, double time_s) noexcept;

  // Collective. Appends a line for each pair, ordered by the lower and then the higher rank. A new file begins with a
  // header line. Rank 0 writes, and holds the lines of one rank at a time. Throws MachineFault on all ranks.
  void append(const io::AppendedFile& file, const mpi::Group& group, int round, std::int64_t size_bytes) const;

 private:
  struct Pair {
    std::int64_t tournaments = 0;
    std::array<double, max_samples> recent_s{};
  };
  std::string lines(int round, std::int64_t size_bytes) const;

  int rank_;
  std::vector<Pair> pairs_;  // with rank_ + 1, rank_ + 2, ...
};

}  // namespace stressbench
