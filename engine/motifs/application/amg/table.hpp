// The levels of an algebraic multigrid, as given by a file (format: docs/motifs/amg.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "motifs/application/amg/hierarchy.hpp"
#include "motifs/application/amg/lattice.hpp"

namespace stressbench::amg {

class Table final : public Hierarchy {
 public:
  // Parses `text`, the contents of `file`, for a job of `ranks` ranks. Points of all levels, and the matrix of the
  // finest level if the file does not give it, are those of `formula`. Throws ParameterMistake for `levels`, with the
  // file and the line.
  Table(std::string_view text, const std::string& file, int ranks, Lattice formula);

  int levels() const override { return levels_; }
  std::int64_t points(int level, int rank) const override { return formula_.points(level, rank); }
  std::vector<Exchange> matrix(int level, int rank) const override;
  std::vector<Exchange> interpolation(int level, int rank) const override { return interpolation_.of(level, rank); }
  std::map<int, std::int64_t> coarsest() const override { return coarsest_; }

 private:
  void read(std::string_view line, int ranks);

  Lattice formula_;
  Exchanges matrix_;
  Exchanges interpolation_;
  std::map<int, std::int64_t> coarsest_;
  std::optional<int> relaxed_;  // level
  bool has_finest_ = false;
  int levels_ = 0;
};

// Returns the contents of the file. Throws ParameterMistake for `levels`.
std::string read_table(const std::string& file);

}  // namespace stressbench::amg
