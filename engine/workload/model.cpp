#include "workload/model.hpp"

#include <algorithm>

namespace stressbench::workload {
namespace {

using Visit = std::function<void(const MotifCall&, std::int64_t)>;

void visit_steps(const std::vector<Step>& steps, std::int64_t executions, const Visit& visit) {
  for (const Step& step : steps) {
    if (const auto* call = std::get_if<MotifCall>(&step)) {
      visit(*call, executions);
    } else {
      const auto& loop = std::get<Loop>(step);
      visit_steps(loop.steps, executions * loop.count, visit);
    }
  }
}

}  // namespace

Position JobPositions::node_position(int index) const {
  const auto after = std::ranges::upper_bound(node_items, index, {}, &NodeItem::first);
  if (after == node_items.begin()) return nodes.value_or(name);
  const NodeItem& item = *(after - 1);
  return {nodes->source, item.line, item.column, item.length};
}

bool Loop::operator==(const Loop& other) const { return count == other.count && steps == other.steps; }

bool Job::operator==(const Job& other) const {
  return name == other.name && role == other.role && nodes == other.nodes && node_count == other.node_count &&
         ranks_per_node == other.ranks_per_node && repeat == other.repeat && min_time == other.min_time &&
         load == other.load && rate == other.rate && shared == other.shared && steps == other.steps;
}

void for_each_motif(const Job& job, const Visit& visit) { visit_steps(job.steps, 1, visit); }

void configure(Pattern& pattern, const MotifCall& call) {
  for (const Option& option : call.options) {
    Parameter* parameter = pattern.find(option.dashed());
    if (parameter == nullptr) throw UserMistake(call.name + " has no option " + option.dashed());
    parameter->parse(option.value.value_or(""));
  }
}

}  // namespace stressbench::workload
