// Size of a rank's part of a file, drawn for each file from a table of sizes or a distribution (--sizes-from). An
// option group of the storage motifs, like Pace.
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

// Bytes that a repetition may write and read in all ranks of a job together, so that 64 bits count them.
inline constexpr std::int64_t max_bytes_of_job = std::int64_t{1} << 62;

class DrawnSize {
 public:
  explicit DrawnSize(ParameterSet* owner);

  // Whether sizes are drawn. If not, only `check` may be called.
  bool enabled() const noexcept { return !from_->empty(); }

  // Throws ParameterMistake, also where the bytes of a job of so many ranks are too many. Only the first rank of a
  // launch reads the table.
  void check(int ranks) const;

  // Collective over the ranks of the job: rank 0 reads the table and broadcasts it. `draws` is the random stream of the
  // step; its rank is ignored.
  void load(const mpi::Group& group, const Draw& draws);

  // The size of the part in bytes, from 0 to SizeTable::max_size, or as far as 64 bits count those of all ranks;
  // requires `load`. Depends only on the seed, the step, the number of the file (from 0, below 2^32) and the execution
  // (below 2^63), and so, up to that limit, is the same on all ranks that share the file, however many there are.
  // Allocates no memory.
  std::int64_t of(std::int64_t file, std::uint64_t execution) const;

  // Mean of the drawn sizes, for Pattern::traffic. Before `load`, it reads the table itself.
  double mean() const;
  // Upper bound of the drawn sizes; none for a distribution.
  std::optional<std::int64_t> largest() const;

 private:
  using Source = std::variant<Distribution, SizeTable>;
  Source source_of(const std::string& table) const;
  std::string table_text() const;
  void require_countable(const Source& source, int ranks) const;
  std::int64_t scaled(double size) const noexcept;

  Param<std::string> from_;
  Param<double> scale_;

  Draw position_;
  std::optional<Source> source_;
  std::int64_t most_ = SizeTable::max_size;  // bytes of a draw
};

}  // namespace stressbench::io
