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

std::string describe(const RankStatus& status, const std::string& host) {
  std::string text;
  if (status.job != nullptr) text += fmt::format("job {}, ", status.job);
  if (status.motif != nullptr) text += fmt::format("motif {}, ", status.motif);
  return text + fmt::format("rank {} on host {}, round {}", status.rank, host, status.round);
}

Fault fault_of(const RankStatus& status, const std::string& host, std::string cause) {
  Fault fault;
  if (status.round > 0) fault.round = status.round;
  if (status.job_number >= 0) fault.job = status.job_number;
  if (status.motif != nullptr) fault.motif = status.motif;
  if (status.rank >= 0) fault.rank = status.rank;
  fault.host = host;
  fault.cause = std::move(cause);
  return fault;
}

}  // namespace stressbench::scheduler
