// Location of a rank's bytes: the file and the offsets in it. Terms and formula are those of IOR: a file consists of
// segments, a segment has one block of each rank that shares the file, and a block is accessed in transfers. No I/O.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/parameter.hpp"

namespace stressbench::io {

// Number of files: one for all ranks (N-1), one per rank (N-N), one per node or per k consecutive ranks (N-M).
struct Files {
  enum class Each { all, rank, node, several };
  Each each = Each::all;
  int ranks = 0;  // per file, for `several`
  bool operator==(const Files&) const = default;
};

// The part of a file that belongs to a rank.
struct Portion {
  int file = 0;
  int index = 0;  // among the ranks that share it
  int ranks = 1;
};
// Not for Files::Each::node, which depends on the ranks of each node.
Portion portion_of(const Files& files, int rank, int ranks) noexcept;

struct Extent {
  std::int64_t offset = 0;
  std::int64_t length = 0;
};

class Extents {
 public:
  Extents() = default;
  // `size` bytes per rank in `segments` equal blocks, each accessed in transfers of `transfer` bytes. The last transfer
  // of a block is shorter if `transfer` does not divide the block.
  Extents(std::int64_t size, std::int64_t segments, std::int64_t transfer, Portion portion) noexcept;

  std::int64_t transfers() const noexcept { return segments_ * transfers_per_block_; }  // per rank
  Extent at(std::int64_t number) const noexcept;                                        // in the order of offsets
  std::int64_t size() const noexcept { return block_ * segments_; }
  std::int64_t file_bytes() const noexcept { return size() * portion_.ranks; }

 private:
  std::int64_t block_ = 0;
  std::int64_t segments_ = 0;
  std::int64_t transfer_ = 1;
  std::int64_t transfers_per_block_ = 0;
  Portion portion_;
};

}  // namespace stressbench::io

namespace stressbench {

template <>
struct Spelling<io::Files> {
  static io::Files read(std::string_view text);  // "one", "rank", "node", "every:4"
  static std::string write(const io::Files& files);
  static constexpr std::string_view unit = "choice";
};

}  // namespace stressbench
