// The coarse levels of an algebraic multigrid, as given by a file (format: docs/motifs/amg.md).
#pragma once

#include <string>
#include <string_view>
#include <tuple>

#include "motifs/application/amg/hierarchy.hpp"

namespace stressbench::amg {

class Table final : public Hierarchy {
 public:
  // Parses `text`, the contents of `file`, for a job of `ranks` ranks. The matrix of the finest level is taken from
  // `finest`, which must outlive this object. Throws ParameterMistake for `levels`, with the file and the line.
  Table(std::string_view text, const std::string& file, int ranks, const Hierarchy& finest);

  int levels() const override { return levels_; }
  std::vector<Exchange> matrix(int level, int rank) const override;
  std::vector<Exchange> interpolation(int level, int rank) const override { return of(interpolation_, level, rank); }
  std::map<int, std::int64_t> coarsest() const override { return coarsest_; }

 private:
  // For each (level, rank), its exchanges by the other rank.
  using Exchanges = std::map<std::tuple<int, int>, std::map<int, Exchange>>;
  static std::vector<Exchange> of(const Exchanges& exchanges, int level, int rank);
  static void add(Exchanges& exchanges, int level, int from, int to, std::int64_t bytes);
  void read(std::string_view line, int ranks);

  const Hierarchy& finest_;
  Exchanges matrix_;
  Exchanges interpolation_;
  std::map<int, std::int64_t> coarsest_;
  int levels_ = 0;
};

// Returns the contents of the file. Throws ParameterMistake for `levels`.
std::string read_table(const std::string& file);

}  // namespace stressbench::amg
