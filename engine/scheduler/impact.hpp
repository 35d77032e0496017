// Follows a run and keeps each round's median job time: what the stopping rule and the terminal's table need.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/statistics.hpp"
#include "scheduler/records.hpp"

namespace stressbench::scheduler {

class ImpactTracker final : public Listener {
 public:
  // A new launch: what an unfinished round said before does not count.
  void on_header(const Header& header) override;
  void on_sample(const Sample& sample) override;
  void on_round(const RoundRecord& record) override;

  // Blocks in which the job has both an isolated and a contended median.
  std::vector<Pair> pairs(int job) const;
  std::optional<Impact> impact(int job) const { return congestion_impact(pairs(job)); }
  // Medians of the rounds of one kind.
  std::vector<double> medians(int job, RoundKind kind) const;

 private:
  struct Halves {
    std::optional<double> isolated;
    std::optional<double> contended;
  };
  std::map<int, std::vector<double>> present_;   // job -> measured times of the round that is being told
  std::map<int, std::map<int, Halves>> blocks_;  // job -> block
};

}  // namespace stressbench::scheduler
