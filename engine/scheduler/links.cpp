#include "scheduler/links.hpp"

#include <map>
#include <tuple>

namespace stressbench::scheduler {

LinkCounts counter_increase(const LinkCounts& before, LinkCounts after) {
  const auto key = [](const LinkCount& count) { return std::tie(count.link, count.source, count.target); };
  std::map<std::tuple<std::string, std::string, std::string>, const LinkCount*> known;
  for (const LinkCount& count : before) known.emplace(key(count), &count);
  for (LinkCount& count : after) {
    const auto found = known.find(key(count));
    if (found == known.end() || count.bytes < found->second->bytes) continue;
    count.bytes -= found->second->bytes;
    count.frames -= found->second->frames;
    count.drops -= found->second->drops;
  }
  return after;
}

}  // namespace stressbench::scheduler
