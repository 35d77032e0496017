#include "scheduler/rank_status.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace stressbench::scheduler {
namespace {

RankStatus this_rank;

}  // namespace

const char* interned(const std::string& name) {
  static std::set<std::string> names;
  return names.insert(name).first->c_str();
}

RankStatus& rank_status() noexcept { return this_rank; }

std::string describe(const RankStatus& here, const std::string& host) {
  std::string text;
  if (here.job != nullptr) text += fmt::format("job {}, ", here.job);
  if (here.motif != nullptr) text += fmt::format("motif {}, ", here.motif);
  return text + fmt::format("rank {} on host {}, round {}", here.rank, host, here.round);
}

Fault fault_of(const RankStatus& here, const std::string& host, std::string cause) {
  Fault fault;
  if (here.round > 0) fault.round = here.round;
  if (here.job_number >= 0) fault.job = here.job_number;
  if (here.motif != nullptr) fault.motif = here.motif;
  if (here.rank >= 0) fault.rank = here.rank;
  fault.host = host;
  fault.cause = std::move(cause);
  return fault;
}

}  // namespace stressbench::scheduler
