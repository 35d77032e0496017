// Base class of gather and scatter: one block on each rank, and all blocks on the root.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "motifs/collective/movement.hpp"
#include "motifs/collective/root.hpp"

namespace stressbench {

template <class Shares>
class RootedBlocks : public Movement {
 public:
  void check(int ranks) const override {
    Movement::check(ranks);
    root_.check(ranks);
    if (Shares::is_v_variant) check_displacements(shares_.total(elements(), ranks));
  }
  Traffic traffic(int ranks) const override { return {.collectives = 1, .collective_bytes = total_bytes(ranks)}; }
  void fill_payload(std::uint64_t pass) final {
    root_.select_next();
    Movement::fill_payload(pass);
  }

 protected:
  RootedBlocks(std::string function, std::string size_help, std::string in_place_help)
      : Movement(std::move(function), Bytes{4096}, std::move(size_help)),
        in_place_(this, "in-place", std::move(in_place_help)) {}

  std::int64_t total_bytes(int ranks) const { return bytes_of(shares_.total(elements(), ranks)); }
  void lay_out(const mpi::Group&) final {
    root_.decompose(rank_, ranks_);
    own_block_ = blocks({shares_.of(elements(), rank_, ranks_)});
    if (root_.can_be(rank_)) all_blocks_ = blocks(shares_.all(elements(), ranks_));
  }

  Root root_{this};
  Param<bool> in_place_;
  Shares shares_{this};
  Blocks own_block_;
  Blocks all_blocks_;
};

}  // namespace stressbench
