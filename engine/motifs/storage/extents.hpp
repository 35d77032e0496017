// Where a rank's bytes lie: in which file, and where in it. Pure. Words and formula are IOR's: a file is made of
// segments, a segment has a block of each rank that shares the file, a block is moved in transfers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/parameter.hpp"

namespace stressbench::io {

// How many files: one for all ranks (N-1), one for each rank (N-N), for each node or each k consecutive ranks (N-M).
struct Files {
  enum class Each { all, rank, node, several };
  Each each = Each::all;
  int ranks = 0;  // of `several`
  bool operator==(const Files&) const = default;
};

// What a rank has of a file.
struct Portion {
  int file = 0;
  int index = 0;  // among the ranks that share it
  int ranks = 1;
};
// Without Files::Each::node, which depends on the ranks of each node.
Portion portion_of(const Files& files, int rank, int ranks) noexcept;

struct Extent {
  std::int64_t offset = 0;
  std::int64_t length = 0;
};

class Extents {
 public:
  Extents() = default;
  // `size` bytes a rank in `segments` equal blocks, each moved in transfers of `transfer` bytes, the last one shorter
  // where it does not divide.
  Extents(std::int64_t size, std::int64_t segments, std::int64_t transfer, Portion portion) noexcept;

  std::int64_t transfers() const noexcept { return segments_ * in_block_; }  // of a rank
  Extent at(std::int64_t number) const noexcept;                             // in the order of offsets
  std::int64_t size() const noexcept { return block_ * segments_; }
  std::int64_t file_bytes() const noexcept { return size() * portion_.ranks; }

 private:
  std::int64_t block_ = 0;
  std::int64_t segments_ = 0;
  std::int64_t transfer_ = 1;
  std::int64_t in_block_ = 0;  // transfers
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
