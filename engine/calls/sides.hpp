// Exchanges with the four neighbours of a block of a 2-D mesh, with the neighbour order, tags and send-before-receive
// order of TeaLeaf and CloverLeaf (UK Mini-App Consortium).
#pragma once

#include <cstdint>

#include "calls/call_list.hpp"

namespace stressbench::calls {

// A rank's block: its size in cells, and its neighbours (-1: none).
struct Block {
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  int left = -1;
  int right = -1;
  int bottom = -1;
  int top = -1;

  int across() const noexcept { return (left >= 0 ? 1 : 0) + (right >= 0 ? 1 : 0); }
  int down() const noexcept { return (bottom >= 0 ? 1 : 0) + (top >= 0 ? 1 : 0); }
};

// Adds the messages of one direction to a call list, and returns their requests.
class Sides {
 public:
  Sides(CallList& calls, const Block& block)
      : block_(block), across_(calls.requests(2 * block.across())), down_(calls.requests(2 * block.down())) {}

  Requests post_across(CallList& calls, std::int64_t bytes) const {
    int k = 0;
    exchange(calls, across_, k, block_.left, 1, 2, bytes);
    exchange(calls, across_, k, block_.right, 2, 1, bytes);
    return across_;
  }
  Requests post_down(CallList& calls, std::int64_t bytes) const {
    int k = 0;
    exchange(calls, down_, k, block_.bottom, 3, 4, bytes);
    exchange(calls, down_, k, block_.top, 4, 3, bytes);
    return down_;
  }
  const Block& block() const noexcept { return block_; }

 private:
  static void exchange(CallList& calls, Requests places, int& k, int neighbour, int send_tag, int receive_tag,
                       std::int64_t bytes) {
    if (neighbour < 0) return;
    calls.isend(places[k++], neighbour, send_tag, bytes);
    calls.irecv(places[k++], neighbour, receive_tag, bytes);
  }

  Block block_;
  Requests across_;
  Requests down_;
};

}  // namespace stressbench::calls
