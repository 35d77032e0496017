#include "grammar.hpp"

#include <cstring>
#include <unordered_map>
#include <vector>

namespace stressbench::trace {

void Grammar::start() noexcept {
  used_nodes_ = 1;
  used_rules_ = 0;
  new_rule();
}

void Grammar::restart() noexcept {
  std::memset(nodes_, 0, used_nodes_ * sizeof(Node));
  std::memset(rules_, 0, used_rules_ * sizeof(Rule));
  std::memset(buckets_, 0, sizeof(buckets_));
  length_ = 0;
  full_ = false;
  depth_ = 0;
  pending_count_ = 0;
  free_nodes_ = none;
  free_count_ = 0;
  free_rules_ = none;
  free_rule_count_ = 0;
  serial_ = 0;
  start();
}

Grammar::Index Grammar::bucket_of(Index n) const noexcept {
  const Node& a = nodes_[n];
  const Node& b = nodes_[a.next];
  std::uint64_t mixed = ((std::uint64_t{a.symbol} << 32U) | b.symbol) * 0x9E3779B97F4A7C15ULL;
  mixed ^= ((std::uint64_t{a.times} << 32U) | b.times) * 0xC2B2AE3D27D4EB4FULL;
  mixed ^= mixed >> 29U;
  return static_cast<Index>((mixed * 0xBF58476D1CE4E5B9ULL) >> 46U);
}

Grammar::Index Grammar::new_node(Index symbol, std::uint32_t times) noexcept {
  Index n = free_nodes_;
  if (n != none) {
    free_nodes_ = nodes_[n].chain;
    --free_count_;
  } else {
    n = used_nodes_++;
  }
  nodes_[n] = {none, none, symbol, times, none};
  change_uses(n, 1);
  return n;
}

void Grammar::free_node(Index n) noexcept {
  change_uses(n, -1);
  nodes_[n] = {none, none, guard_bit, 0, free_nodes_};
  free_nodes_ = n;
  ++free_count_;
}

Grammar::Index Grammar::new_rule() noexcept {
  Index rule = free_rules_;
  if (rule != none) {
    free_rules_ = rules_[rule].next_free;
    --free_rule_count_;
  } else {
    rule = used_rules_++;
  }
  const Index guard = new_node(guard_bit | rule, 0);
  link(guard, guard);
  rules_[rule] = {guard, 0, ++serial_, none};
  return rule;
}

void Grammar::free_rule(Index rule) noexcept {
  free_node(rules_[rule].guard);
  rules_[rule] = {none, 0, ++serial_, free_rules_};
  free_rules_ = rule;
  ++free_rule_count_;
}

void Grammar::link(Index before, Index after) noexcept {
  nodes_[before].next = after;
  nodes_[after].previous = before;
}

void Grammar::change_uses(Index n, int change) noexcept {
  if (is_rule(n)) rules_[rule_of(n)].uses += static_cast<std::uint32_t>(change);
}

Grammar::Index Grammar::find(Index n) const noexcept {
  const Index next = nodes_[n].next;
  for (Index m = buckets_[bucket_of(n)]; m != none; m = nodes_[m].chain) {
    if (m != n && equal_nodes(m, n) && equal_nodes(nodes_[m].next, next)) return m;
  }
  return none;
}

void Grammar::insert_digram(Index n) noexcept {
  Index& bucket = buckets_[bucket_of(n)];
  nodes_[n].chain = bucket;
  bucket = n;
}

// Removes n's digram from the table before one of its symbols changes. Does nothing if it is not in the table.
void Grammar::remove_digram(Index n) noexcept {
  if (!begins_digram(n)) return;
  Index* position = &buckets_[bucket_of(n)];
  while (*position != none && *position != n) position = &nodes_[*position].chain;
  if (*position == none) return;
  *position = nodes_[n].chain;
  nodes_[n].chain = none;
}

void Grammar::append(Index call) noexcept {
  if (full_) return;
  ++length_;
  if (depth_ > 0) {
    if (follow(call)) return;
    stop_following();
  }
  add(call);
  start_following();
}

void Grammar::add(Index call) noexcept {
  if (max_nodes - used_nodes_ + free_count_ < reserve || max_rules - used_rules_ + free_rule_count_ < reserve) {
    full_ = true;
    return;
  }
  const Index guard = rules_[0].guard;
  const Index last = nodes_[guard].previous;
  if (last != guard && nodes_[last].symbol == call && nodes_[last].times < ~0U) {
    const Index before = nodes_[last].previous;
    remove_digram(before);
    ++nodes_[last].times;
    if (!is_guard(before)) enforce_uniqueness(before);
    return;
  }
  const Index n = new_node(call, 1);
  link(last, n);
  link(n, guard);
  if (last != guard) enforce_uniqueness(last);
}

// Starts to follow the last symbol of the sequence if it is a loop. Its count then changes, so its digram is removed
// from the table meanwhile.
void Grammar::start_following() noexcept {
  const Index last = nodes_[rules_[0].guard].previous;
  if (is_guard(last) || nodes_[last].times < 2) return;
  remove_digram(nodes_[last].previous);
  loop_positions_[0] = {last, 1};
  depth_ = 1;
  pending_count_ = 0;
  if (!descend()) stop_following();
}

// Advances if the call is the next one in the loop; returns whether it is.
bool Grammar::follow(Index call) noexcept {
  if (nodes_[loop_positions_[depth_ - 1].node].symbol != call || pending_count_ == max_pending) return false;
  pending_[pending_count_++] = call;
  if (!advance()) stop_following();
  return true;
}

void Grammar::stop_following() noexcept {
  depth_ = 0;
  const Index before = nodes_[nodes_[rules_[0].guard].previous].previous;
  if (!is_guard(before)) enforce_uniqueness(before);
  for (Index k = 0; k < pending_count_; ++k) add(pending_[k]);
  pending_count_ = 0;
}

// Descends to the first call of the rule at the current place. False if the rules are nested too deeply.
bool Grammar::descend() noexcept {
  while (is_rule(loop_positions_[depth_ - 1].node)) {
    if (depth_ == max_depth) return false;
    const Index first = nodes_[rules_[rule_of(loop_positions_[depth_ - 1].node)].guard].next;
    loop_positions_[depth_++] = {first, nodes_[first].times};
  }
  return true;
}

bool Grammar::advance() noexcept {
  for (;; --depth_) {
    LoopPosition& position = loop_positions_[depth_ - 1];
    if (--position.left > 0) return descend();
    if (depth_ == 1) break;
    const Index next = nodes_[position.node].next;
    if (is_guard(next)) continue;
    position = {next, nodes_[next].times};
    return descend();
  }
  pending_count_ = 0;
  loop_positions_[0].left = 1;
  return ++nodes_[loop_positions_[0].node].times < ~0U && descend();
}

// Keeps digrams unique: if n's digram also occurs elsewhere, replaces both by a rule. Returns whether n was replaced.
bool Grammar::enforce_uniqueness(Index n) noexcept {
  if (!begins_digram(n)) return false;
  const Index duplicate = find(n);
  if (duplicate == none) {
    remove_digram(n);
    insert_digram(n);
    return false;
  }
  replace_both(n, duplicate);
  return true;
}

void Grammar::replace_both(Index n, Index duplicate) noexcept {
  Index rule = none;
  const Index duplicate_last = nodes_[duplicate].next;
  if (is_guard(nodes_[duplicate].previous) && is_guard(nodes_[duplicate_last].next) &&
      nodes_[nodes_[duplicate].previous].symbol != guard_bit) {
    rule = rule_of(nodes_[duplicate].previous);
    substitute(n, rule);
  } else {
    rule = new_rule();
    const Index guard = rules_[rule].guard;
    const Index first = new_node(nodes_[n].symbol, nodes_[n].times);
    const Index second = new_node(nodes_[nodes_[n].next].symbol, nodes_[nodes_[n].next].times);
    link(guard, first);
    link(first, second);
    link(second, guard);
    remove_digram(duplicate);
    insert_digram(first);
    const std::uint32_t serial = rules_[rule].serial;
    substitute(duplicate, rule);
    substitute(n, rule);
    if (rules_[rule].serial != serial) return;  // the substitutions have already freed the rule
  }
  inline_rules_used_once(rule);
}

// Replaces the digram at n by the rule. Adjacent uses of the same rule become one node with a count.
void Grammar::substitute(Index n, Index rule) noexcept {
  const Index before = nodes_[n].previous;
  const Index second = nodes_[n].next;
  const Index after = nodes_[second].next;
  remove_digram(before);
  remove_digram(n);
  remove_digram(second);
  const Index symbol = rule_bit | rule;
  Index rule_node = none;
  if (!is_guard(before) && nodes_[before].symbol == symbol) {
    remove_digram(nodes_[before].previous);
    ++nodes_[before].times;
    rule_node = before;
  } else {
    rule_node = new_node(symbol, 1);
    link(before, rule_node);
  }
  if (!is_guard(after) && nodes_[after].symbol == symbol) {
    remove_digram(after);
    nodes_[rule_node].times += nodes_[after].times;
    link(rule_node, nodes_[after].next);
    free_node(after);
  } else {
    link(rule_node, after);
  }
  free_node(second);
  free_node(n);
  const Index left = nodes_[rule_node].previous;
  if (!is_guard(left) && enforce_uniqueness(left)) return;
  enforce_uniqueness(rule_node);
}

// Inlines the first and the last rule within `rule` if it is used only once, and without repetition.
void Grammar::inline_rules_used_once(Index rule) noexcept {
  const std::uint32_t serial = rules_[rule].serial;
  const auto is_used_once = [&](Index n) { return is_rule(n) && nodes_[n].times == 1 && rules_[rule_of(n)].uses == 1; };
  const Index first = nodes_[rules_[rule].guard].next;
  if (is_used_once(first)) inline_rule(first);
  if (rules_[rule].serial != serial) return;
  const Index last = nodes_[rules_[rule].guard].previous;
  if (is_used_once(last)) inline_rule(last);
}

void Grammar::inline_rule(Index n) noexcept {
  const Index rule = rule_of(n);
  const Index guard = rules_[rule].guard;
  const Index first = nodes_[guard].next;
  const Index last = nodes_[guard].previous;
  const Index before = nodes_[n].previous;
  const Index after = nodes_[n].next;
  remove_digram(before);
  remove_digram(n);
  free_node(n);
  free_rule(rule);
  link(before, first);
  link(last, after);
  const auto merge = [&](Index a) {  // merges a with the next node if they have the same symbol
    const Index b = nodes_[a].next;
    if (is_guard(a) || is_guard(b) || nodes_[a].symbol != nodes_[b].symbol) return;
    remove_digram(nodes_[a].previous);
    remove_digram(b);
    nodes_[a].times += nodes_[b].times;
    link(a, nodes_[b].next);
    free_node(b);
  };
  const auto insert_if_unique = [&](Index a) {  // leaves a repeated digram as it is, which costs only one symbol
    if (begins_digram(a) && find(a) == none) {
      remove_digram(a);
      insert_digram(a);
    }
  };
  Index end = last;
  merge(last);
  if (!is_guard(before) && nodes_[before].symbol == nodes_[first].symbol) {
    if (first == last) end = before;
    merge(before);
  }
  for (const Index a : {nodes_[before].previous, before, nodes_[end].previous, end}) insert_if_unique(a);
}

void Grammar::list(const VisitRule& rule, const Visit& symbol) const {
  std::vector<Index> order{0};
  std::unordered_map<Index, std::int64_t> numbers{{0, 0}};
  for (std::size_t k = 0; k < order.size(); ++k) {
    rule();
    const Index guard = rules_[order[k]].guard;
    for (Index n = nodes_[guard].next; n != guard; n = nodes_[n].next) {
      if (!is_rule(n)) {
        symbol(nodes_[n].symbol, nodes_[n].times);
        continue;
      }
      const auto [position, is_new] = numbers.try_emplace(rule_of(n), static_cast<std::int64_t>(order.size()));
      if (is_new) order.push_back(rule_of(n));
      symbol(-position->second, nodes_[n].times);
    }
    if (k > 0) continue;
    for (Index one = 0; one < pending_count_; ++one) symbol(pending_[one], 1);
  }
}

}  // namespace stressbench::trace
