// Times of every pair that a rank begins games with, and the file that holds all ranks' (docs/motifs/all_pairs.md).
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
  static constexpr std::size_t kept = 31;  // last tournaments, of which the median is taken

  PairTimes(int rank, int ranks);
  void add(int higher, double time_s) noexcept;

  // Collective. A line for each pair, in order of the lower rank, then the higher, behind what the file has; with a
  // head where it is new. Through rank 0, which holds one rank's lines at a time. Throws MachineFault on all ranks.
  void append(const io::AppendedFile& file, const mpi::Group& group, int round, std::int64_t size_bytes) const;

 private:
  struct Pair {
    std::int64_t tournaments = 0;
    std::array<double, kept> last_s{};
  };
  std::string lines(int round, std::int64_t size_bytes) const;

  int rank_;
  std::vector<Pair> pairs_;  // with rank_ + 1, rank_ + 2, ...
};

}  // namespace stressbench
