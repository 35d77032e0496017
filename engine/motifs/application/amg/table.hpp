// The coarse levels of an algebraic multigrid as a file states them (its form: docs/motifs/amg.md).
#pragma once

#include <string>
#include <string_view>
#include <tuple>

#include "motifs/application/amg/hierarchy.hpp"

namespace stressbench::amg {

class Table final : public Hierarchy {
 public:
  // Reads what `text` says of so many ranks; throws ParameterMistake in `levels` naming `file` and the line. The finest
  // level's matrix is that of `finest`, which outlives this.
  Table(std::string_view text, const std::string& file, int ranks, const Hierarchy& finest);

  int levels() const override { return levels_; }
  std::vector<Exchange> matrix(int level, int rank) const override;
  std::vector<Exchange> interpolation(int level, int rank) const override { return of(interpolation_, level, rank); }
  std::map<int, std::int64_t> coarsest() const override { return coarsest_; }

 private:
  // (level, rank): what it exchanges with others.
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

// The whole file; throws ParameterMistake in `levels`.
std::string read_table(const std::string& file);

}  // namespace stressbench::amg
