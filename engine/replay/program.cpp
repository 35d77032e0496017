#include "replay/program.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"

namespace stressbench::replay {
namespace {

constexpr std::int64_t max_length = std::numeric_limits<std::int64_t>::max();

void check(const std::vector<trace::Rule>& rules, std::size_t calls) {
  for (std::size_t r = 0; r < rules.size(); ++r) {
    for (const trace::Item& item : rules[r]) {
      if (item.times < 1) throw UserMistake("rule {} repeats something {} times", r, item.times);
      const bool known = item.symbol >= 0 ? static_cast<std::uint64_t>(item.symbol) < calls
                                          : item.symbol > -static_cast<std::int64_t>(rules.size());
      if (!known) throw UserMistake("rule {} names {}, which does not exist", r, item.symbol);
    }
  }
}

// Length (in calls) and nesting depth of each rule, computed from the rules that it contains.
class RuleMeasurement {
 public:
  explicit RuleMeasurement(const std::vector<trace::Rule>& rules)
      : rules_(rules), lengths_(rules.size(), 0), depths_(rules.size(), 0), states_(rules.size(), State::unvisited) {
    visit_all();
  }
  std::int64_t length() const { return lengths_.empty() ? 0 : lengths_[0]; }
  std::size_t depth() const { return depths_.empty() ? 0 : depths_[0]; }

 private:
  enum class State { unvisited, open, closed };
  struct Visit {
    std::size_t rule;
    std::size_t item;
  };

  // Depth-first without recursion, since the depth comes from a file and is unbounded.
  void visit_all() {
    if (rules_.empty()) return;
    std::vector<Visit> visits{{0, 0}};
    states_[0] = State::open;
    while (!visits.empty()) {
      Visit& visit = visits.back();
      if (visit.item == rules_[visit.rule].size()) {
        close(visit.rule);
        visits.pop_back();
        continue;
      }
      const std::int64_t symbol = rules_[visit.rule][visit.item++].symbol;
      if (symbol >= 0) continue;
      const auto inner = static_cast<std::size_t>(-symbol);
      if (states_[inner] == State::open) throw UserMistake("rule {} contains itself", inner);
      if (states_[inner] == State::unvisited) {
        states_[inner] = State::open;
        visits.push_back({inner, 0});
      }
    }
  }

  void close(std::size_t rule) {
    states_[rule] = State::closed;
    std::int64_t sum = 0;
    std::size_t deepest = 0;
    for (const trace::Item& item : rules_[rule]) {
      std::int64_t one = 1;
      if (item.symbol < 0) {
        const auto inner = static_cast<std::size_t>(-item.symbol);
        one = lengths_[inner];
        deepest = std::max(deepest, depths_[inner]);
      }
      if (one > 0 && item.times > (max_length - sum) / one) throw UserMistake("the sequence is longer than 2^63 calls");
      sum += one * item.times;
    }
    lengths_[rule] = sum;
    depths_[rule] = deepest + 1;
  }

  const std::vector<trace::Rule>& rules_;
  std::vector<std::int64_t> lengths_;
  std::vector<std::size_t> depths_;
  std::vector<State> states_;
};

}  // namespace

Program::Program(const std::vector<trace::Rule>& rules, std::size_t calls, std::int64_t length) {
  check(rules, calls);
  const RuleMeasurement measure(rules);
  if (measure.length() != length)
    throw UserMistake("the rules make {} calls, but sequence_calls is {}", measure.length(), length);
  for (const trace::Rule& rule : rules) {
    starts_.push_back(items_.size());
    for (const trace::Item& item : rule) items_.push_back({item.symbol, item.times});
  }
  if (!rules.empty()) starts_.push_back(items_.size());
  items_.push_back({});
  stack_.resize(std::max<std::size_t>(measure.depth(), 1));
}

}  // namespace stressbench::replay
