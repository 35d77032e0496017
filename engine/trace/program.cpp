#include "trace/program.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"

namespace stressbench::trace {
namespace {

constexpr std::int64_t max_length = std::numeric_limits<std::int64_t>::max();

void check(const std::vector<Rule>& rules, std::size_t calls) {
  for (std::size_t r = 0; r < rules.size(); ++r) {
    for (const Item& item : rules[r]) {
      if (item.times < 1) throw UserMistake("rule {} repeats something {} times", r, item.times);
      const bool known = item.symbol >= 0 ? static_cast<std::uint64_t>(item.symbol) < calls
                                          : item.symbol > -static_cast<std::int64_t>(rules.size());
      if (!known) throw UserMistake("rule {} names {}, which does not exist", r, item.symbol);
    }
  }
}

// Length (in calls), nesting depth and last call of each rule, computed from the rules that it contains.
class RuleMeasurement {
 public:
  explicit RuleMeasurement(const std::vector<Rule>& rules)
      : rules_(rules),
        lengths_(rules.size(), 0),
        depths_(rules.size(), 0),
        last_calls_(rules.size(), -1),
        shortcuts_(rules.size(), 0),
        states_(rules.size(), State::unvisited) {
    visit_all();
  }
  std::int64_t length() const { return lengths_.empty() ? 0 : lengths_[0]; }
  std::size_t depth() const { return depths_.empty() ? 0 : depths_[0]; }
  int last_call() const { return last_calls_.empty() ? -1 : last_calls_[0]; }

  // Whether the item makes no call.
  bool is_empty(const Item& item) const { return item.symbol < 0 && lengths_[rule_of(item)] == 0; }
  // The item's symbol, or that of the only item of its rule, if this is not repeated: rules that only contain one other
  // would have to be entered for each call.
  std::int64_t symbol_of(const Item& item) const { return item.symbol < 0 ? shortcuts_[rule_of(item)] : item.symbol; }

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

  static std::size_t rule_of(const Item& item) { return static_cast<std::size_t>(-item.symbol); }

  void close(std::size_t rule) {
    states_[rule] = State::closed;
    std::int64_t sum = 0;
    std::size_t deepest = 0;
    const Item* only = nullptr;
    int items = 0;
    for (const Item& item : rules_[rule]) {
      const bool is_rule = item.symbol < 0;
      const std::int64_t one = is_rule ? lengths_[rule_of(item)] : 1;
      if (is_rule) deepest = std::max(deepest, depths_[rule_of(item)]);
      if (one > 0 && item.times > (max_length - sum) / one) throw UserMistake("the sequence is longer than 2^63 calls");
      sum += one * item.times;
      if (is_empty(item)) continue;
      last_calls_[rule] = is_rule ? last_calls_[rule_of(item)] : static_cast<int>(item.symbol);
      only = ++items == 1 && item.times == 1 ? &item : nullptr;
    }
    lengths_[rule] = sum;
    depths_[rule] = deepest + 1;
    shortcuts_[rule] = only != nullptr ? symbol_of(*only) : -static_cast<std::int64_t>(rule);
  }

  const std::vector<Rule>& rules_;
  std::vector<std::int64_t> lengths_;
  std::vector<std::size_t> depths_;
  std::vector<int> last_calls_;
  std::vector<std::int64_t> shortcuts_;  // for each rule, the symbol that stands for it
  std::vector<State> states_;
};

}  // namespace

Program::Program(const std::vector<Rule>& rules, std::size_t calls, std::int64_t length) {
  check(rules, calls);
  const RuleMeasurement measure(rules);
  if (measure.length() != length)
    throw UserMistake("the rules make {} calls, but sequence_calls is {}", measure.length(), length);
  for (const Rule& rule : rules) {
    starts_.push_back(items_.size());
    for (const trace::Item& item : rule) {
      if (!measure.is_empty(item)) items_.push_back({measure.symbol_of(item), item.times});
    }
  }
  if (!rules.empty()) starts_.push_back(items_.size());
  items_.push_back({});
  stack_.resize(std::max<std::size_t>(measure.depth(), 1));
  last_call_ = measure.last_call();
}

}  // namespace stressbench::trace
