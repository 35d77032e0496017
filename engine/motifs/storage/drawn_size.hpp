// Bytes that a rank has of a file, drawn for each file from a table of sizes or a distribution. Options of a storage
// motif, as Pace is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/distribution.hpp"
#include "core/parameter.hpp"
#include "core/random.hpp"
#include "core/size_table.hpp"
#include "mpi/group.hpp"

namespace stressbench::io {

class DrawnSize {
 public:
  explicit DrawnSize(ParameterSet* owner);

  // Whether sizes are drawn at all; if not, nothing else may be asked for.
  bool given() const noexcept { return !from_->empty(); }

  // Throws ParameterMistake. Reads the table, but of a launch's ranks only on the first one.
  void check() const;

  // Collective: rank 0 reads the table, and all have it. `draws` is the step's stream; its rank counts for nothing.
  void load(const mpi::Group& group, const Draw& draws);

  // Once loaded: 0 or more, at most SizeTable::most_size. Follows from the seed, the step, the file's number (from 0,
  // below 2^32) and the execution (below 2^63), and so is the same on all ranks that share the file, however many
  // there are. Allocates nothing.
  std::int64_t of(std::int64_t file, std::uint64_t execution) const;

  // What draws average to, for Pattern::traffic. Before `load`, too: then it reads the table itself.
  double mean() const;
  // No draw is larger. None where only chance knows.
  std::optional<std::int64_t> largest() const;

 private:
  using Source = std::variant<Distribution, SizeTable>;
  Source source_of(const std::string& table) const;
  std::string table_text() const;
  std::int64_t scaled(double size) const noexcept;

  Param<std::string> from_;
  Param<double> scale_;

  Draw position_;
  std::optional<Source> source_;
};

}  // namespace stressbench::io
