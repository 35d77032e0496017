#include "scheduler/node_ranges.hpp"

#include <algorithm>
#include <span>

#include "core/host_list.hpp"
#include "workload/node_list.hpp"

namespace stressbench::scheduler {
namespace {

class RangeFinder {
 public:
  explicit RangeFinder(const Machine& machine) : machine_(machine), ranks_(machine) {}

  // The longest range that begins with this node, of at most `max_count` nodes.
  NodeRange from(int first, int max_count) const {
    NodeRange range;
    range.first = first;
    range.cores = node(first).cores;
    range.ranks = workload::compress(ranks_.of(first));
    const int nodes = static_cast<int>(machine_.table.size());
    if (first + 1 < nodes && !ranks_.of(first).empty() && !ranks_.of(first + 1).empty())
      range.rank_step = ranks_.of(first + 1).front() - ranks_.of(first).front();
    while (range.count < max_count && first + range.count < nodes && continues(range, first + range.count))
      ++range.count;
    if (range.count == 1) range.rank_step = 0;
    name_hosts(range);
    return range;
  }

 private:
  const Node& node(int number) const { return machine_.table[static_cast<std::size_t>(number)]; }

  bool continues(const NodeRange& range, int next) const {
    const bool is_listable = host_list::is_listable(node(range.first).host) && host_list::is_listable(node(next).host);
    if (node(next).cores != range.cores || (!is_listable && node(next).host != node(range.first).host)) return false;
    const auto before = ranks_.of(next - 1);
    const auto after = ranks_.of(next);
    return !before.empty() && std::ranges::equal(before, after, {}, [&](int rank) { return rank + range.rank_step; });
  }

  void name_hosts(NodeRange& range) const {
    std::vector<std::string> hosts;
    hosts.reserve(static_cast<std::size_t>(range.count));
    for (int k = 0; k < range.count; ++k) hosts.push_back(node(range.first + k).host);
    range.same_host = std::ranges::all_of(hosts, [&](const std::string& host) { return host == hosts.front(); });
    range.hosts = range.same_host ? hosts.front() : host_list::compress(hosts);
  }

  const Machine& machine_;
  RanksOfNodes ranks_;
};

}  // namespace

std::vector<NodeRange> node_ranges(const Machine& machine, int max_single) {
  std::vector<NodeRange> ranges;
  const int nodes = static_cast<int>(machine.table.size());
  const int max_count = nodes > max_single ? nodes : 1;
  const RangeFinder finder(machine);
  for (int first = 0; first < nodes; first += ranges.back().count) ranges.push_back(finder.from(first, max_count));
  return ranges;
}

}  // namespace stressbench::scheduler
