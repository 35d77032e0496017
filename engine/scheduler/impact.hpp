// Keeps the median job time of each round, for the stopping criterion and the summary table.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/statistics.hpp"
#include "scheduler/records.hpp"

namespace stressbench::scheduler {

class ImpactTracker final : public Listener {
 public:
  // Starts a new launch and drops samples of an unfinished round.
  void on_header(const Header& header) override;
  void on_sample(const Sample& sample) override;
  void on_round(const RoundRecord& record) override;

  // The medians of blocks in which the job has both an isolated and a contended one, in seconds.
  std::vector<Pair> pairs(int job) const;
  std::optional<Impact> impact(int job) const { return congestion_impact(pairs(job)); }
  // Medians of the rounds of one kind.
  std::vector<double> medians(int job, RoundKind kind) const;

 private:
  struct BlockMedians {
    std::optional<double> isolated;
    std::optional<double> contended;
  };
  std::map<int, std::vector<double>> current_times_;   // job -> measured times of the current round
  std::map<int, std::map<int, BlockMedians>> blocks_;  // job -> block
};

}  // namespace stressbench::scheduler
