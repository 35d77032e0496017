// The call sequence of one rank as the grammar rules of its trace. Loops are repeated rules and are not expanded.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "trace/record.hpp"

namespace stressbench::trace {

class Program {
 public:
  Program() = default;
  // Rule 0 is the whole sequence. Throws UserMistake if a rule refers to an unknown call or rule or contains itself, or
  // if the sequence does not have `length` calls.
  Program(const std::vector<Rule>& rules, std::size_t calls, std::int64_t length);

  // Calls `visit(index of the call)` for the whole sequence, in order, or until a visit returns false. Allocates
  // nothing and takes time in proportion to the calls visited.
  template <class Visit>
  void walk(Visit&& visit) {
    if (starts_.empty()) return;
    std::size_t depth = 0;
    stack_[0] = {starts_[0], starts_[1], items_[starts_[0]].times};
    for (;;) {
      Frame& frame = stack_[depth];
      if (frame.at == frame.end) {
        if (depth == 0) return;
        --depth;
        continue;
      }
      const Item item = items_[frame.at];
      if (item.symbol >= 0) {
        ++frame.at;
        frame.left = frame.at == frame.end ? 0 : items_[frame.at].times;
        for (std::int64_t i = 0; i < item.times; ++i) {
          if constexpr (std::same_as<std::invoke_result_t<Visit, int>, void>) {
            visit(static_cast<int>(item.symbol));
          } else {
            if (!visit(static_cast<int>(item.symbol))) return;
          }
        }
      } else if (frame.left == 0) {
        ++frame.at;
        frame.left = frame.at == frame.end ? 0 : items_[frame.at].times;
      } else {
        --frame.left;
        const auto rule = static_cast<std::size_t>(-item.symbol);
        stack_[++depth] = {starts_[rule], starts_[rule + 1], items_[starts_[rule]].times};
      }
    }
  }

  std::size_t depth() const noexcept { return stack_.size(); }
  int last_call() const noexcept { return last_call_; }  // of the sequence; -1: it is empty

 private:
  struct Item {
    std::int64_t symbol = 0;
    std::int64_t times = 0;
  };
  struct Frame {
    std::size_t at = 0;
    std::size_t end = 0;
    std::int64_t left = 0;  // remaining repetitions of the item at `at`, if it is a rule
  };

  int last_call_ = -1;
  std::vector<Item> items_;          // items of all rules in order, plus one sentinel
  std::vector<std::size_t> starts_;  // rule r: items_[starts_[r] .. starts_[r + 1])
  std::vector<Frame> stack_;         // size: nesting depth of the rules
};

}  // namespace stressbench::trace
