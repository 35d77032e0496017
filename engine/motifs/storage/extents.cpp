#include "motifs/storage/extents.hpp"

#include <algorithm>
#include <limits>

namespace stressbench {
namespace io {

Portion portion_of(const Files& files, int rank, int ranks) noexcept {
  switch (files.each) {
    case Files::Each::rank:
      return {rank, 0, 1};
    case Files::Each::several:
      return {rank / files.ranks, rank % files.ranks, std::min(files.ranks, ranks - rank / files.ranks * files.ranks)};
    case Files::Each::all:
    case Files::Each::node:
      break;
  }
  return {0, rank, ranks};
}

Extents::Extents(std::int64_t size, std::int64_t segments, std::int64_t transfer, Portion portion) noexcept
    : block_(size / segments),
      segments_(segments),
      transfer_(transfer),
      transfers_per_block_((block_ + transfer - 1) / transfer),
      portion_(portion) {}

Extent Extents::at(std::int64_t number) const noexcept {
  const std::int64_t segment = number / transfers_per_block_;
  const std::int64_t block_offset = number % transfers_per_block_ * transfer_;
  return {(segment * portion_.ranks + portion_.index) * block_ + block_offset,
          std::min(transfer_, block_ - block_offset)};
}

}  // namespace io

io::Files Spelling<io::Files>::read(std::string_view text) {
  using Each = io::Files::Each;
  constexpr std::string_view every = "every:";
  if (parameter_detail::same_name(text, "one")) return {Each::all, 0};
  if (parameter_detail::same_name(text, "rank")) return {Each::rank, 0};
  if (parameter_detail::same_name(text, "node")) return {Each::node, 0};
  if (text.starts_with(every)) {
    const std::int64_t ranks = units::count(text.substr(every.size()));
    if (ranks > 0 && ranks <= std::numeric_limits<int>::max()) return {Each::several, static_cast<int>(ranks)};
  }
  throw UserMistake("must be one of one, rank, node, every:K (a file for each K ranks)");
}

std::string Spelling<io::Files>::write(const io::Files& files) {
  switch (files.each) {
    case io::Files::Each::all:
      return "one";
    case io::Files::Each::rank:
      return "rank";
    case io::Files::Each::node:
      return "node";
    case io::Files::Each::several:
      break;
  }
  return "every:" + std::to_string(files.ranks);
}

}  // namespace stressbench
