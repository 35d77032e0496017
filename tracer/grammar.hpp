// The sequence of calls, compressed while it is recorded, by Sequitur (Nevill-Manning and Witten 1997) with repetition
// counts as in other MPI tracers (Pilgrim, Wang et al. 2021). A loop of a million iterations takes as many symbols as
// its body. While the program repeats its last loop, calls are only compared with the loop's body, which touches one
// cache line per call instead of about ten for the digram table. Plain arrays without pointers, so that the grammar can
// be in memory that outlives the process.
#pragma once

#include <cstdint>
#include <functional>

namespace stressbench::trace {

class Grammar {
 public:
  using Index = std::uint32_t;
  static constexpr Index max_nodes = 480000;
  static constexpr Index max_rules = 1U << 16U;

  void start() noexcept;  // memory must be zeroed
  void restart() noexcept;
  // Adds the number of a call (below 2^30). Does nothing once full.
  void append(Index call) noexcept;
  bool full() const noexcept { return full_; }
  std::uint64_t length() const noexcept { return length_; }

  // Lists all rules, beginning with rule 0. symbol >= 0: a call; symbol < 0: rule number -symbol of this listing.
  using Visit = std::function<void(std::int64_t symbol, std::uint32_t times)>;
  using VisitRule = std::function<void()>;
  void list(const VisitRule& rule, const Visit& symbol) const;

 private:
  struct Node {
    Index previous;
    Index next;
    Index symbol;
    std::uint32_t times;
    Index chain;  // the next digram in the same bucket; for a free node, the next free node
  };
  struct Rule {
    Index guard;         // sentinel node before the first and after the last one
    std::uint32_t uses;  // number of nodes that refer to this rule
    std::uint32_t serial;
    Index next_free;
  };
  static constexpr Index none = 0;  // end of lists: node 0 is never used, and rule 0 is never freed
  static constexpr Index rule_bit = 1U << 31U;
  static constexpr Index guard_bit = 1U << 30U;
  static constexpr Index bucket_count = 1U << 18U;
  static constexpr Index reserve = 4096;  // largest number of nodes and rules that one append may need
  static constexpr Index max_pending = 8192;
  static constexpr int max_depth = 32;

  // The position of the next expected call in the body of the current loop, one entry per nesting level.
  struct LoopPosition {
    Index node;
    std::uint32_t left;  // remaining repetitions of the node, including the next one
  };

  bool is_guard(Index n) const noexcept { return (nodes_[n].symbol & guard_bit) != 0; }
  bool is_rule(Index n) const noexcept { return (nodes_[n].symbol & rule_bit) != 0 && !is_guard(n); }
  Index rule_of(Index n) const noexcept { return nodes_[n].symbol & ~(rule_bit | guard_bit); }
  bool equal_nodes(Index a, Index b) const noexcept {
    return nodes_[a].symbol == nodes_[b].symbol && nodes_[a].times == nodes_[b].times;
  }
  bool begins_digram(Index n) const noexcept { return !is_guard(n) && !is_guard(nodes_[n].next); }
  Index bucket_of(Index n) const noexcept;

  void add(Index call) noexcept;
  void start_following() noexcept;
  bool follow(Index call) noexcept;
  void stop_following() noexcept;
  bool descend() noexcept;
  bool advance() noexcept;

  Index new_node(Index symbol, std::uint32_t times) noexcept;
  void free_node(Index n) noexcept;
  Index new_rule() noexcept;
  void free_rule(Index rule) noexcept;
  void link(Index before, Index after) noexcept;
  void change_uses(Index n, int change) noexcept;

  Index find(Index n) const noexcept;  // another node with n's digram
  void insert_digram(Index n) noexcept;
  void remove_digram(Index n) noexcept;
  bool enforce_uniqueness(Index n) noexcept;
  void replace_both(Index n, Index duplicate) noexcept;
  void substitute(Index n, Index rule) noexcept;
  void inline_rules_used_once(Index rule) noexcept;
  void inline_rule(Index n) noexcept;

  std::uint64_t length_;
  bool full_;
  std::int32_t depth_;  // number of entries in loop_positions_; 0: no loop is followed
  Index pending_count_;
  Index used_nodes_;
  Index free_nodes_;
  Index free_count_;
  Index used_rules_;
  Index free_rules_;
  Index free_rule_count_;
  std::uint32_t serial_;
  LoopPosition loop_positions_[max_depth];
  Index pending_[max_pending];  // calls of the incomplete pass of the loop
  Node nodes_[max_nodes];
  Rule rules_[max_rules];
  Index buckets_[bucket_count];
};

}  // namespace stressbench::trace
