// Options of motifs that compute for as long as a program did between its calls, as a trace recorded it.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>

#include "core/input_limits.hpp"
#include "core/parameter.hpp"
#include "motifs/captured/iteration_gaps.hpp"
#include "mpi/group.hpp"

namespace stressbench::captured {

// What an option is called, and its help.
struct OptionText {
  std::string name;
  std::string help;
};

class GapsFrom {
 public:
  // The gaps that the motif takes from the record of a rank.
  using Select = std::function<IterationGaps(const trace::RankRecord&)>;

  // `position`: the option with the number of a call of the trace.
  GapsFrom(ParameterSet* owner, std::string file_help, OptionText position)
      : file_(owner, "gaps-from", "", std::move(file_help)),
        times_(owner, "gaps", GapTimes::measured,
               "times of computation from --gaps-from: drawn from the measured distribution, its mean, or in the "
               "sequence in which they were recorded"),
        position_(owner, std::move(position.name), 0, std::move(position.help),
                  AtMost{input_limits::max_iteration_calls}) {}

  bool were_given() const noexcept { return !file_->empty(); }
  GapTimes times() const noexcept { return *times_; }
  std::int64_t position() const noexcept { return *position_; }
  // Throws ParameterMistake if one of these options was given, too.
  void refuse_beside(std::initializer_list<const Parameter*> options) const;

  // Throws ParameterMistake if other options are given without a file; or if the trace has another number of ranks, or
  // `select` throws for its rank 0. Reads only the first two lines.
  void check(int ranks, const Select& select) const;
  // Computation of an iteration, averaged over the ranks.
  double mean_s(int ranks, const Select& select) const;
  // Collective. The times of this rank; in sequence, of as many iterations as all ranks have. If `select` throws on
  // some ranks, all ranks throw ParameterMistake.
  GapSeries series(const mpi::Group& group, const Select& select, double scale, std::int64_t iterations,
                   const Draw& draws) const;

 private:
  IterationGaps selected(const Select& select, const trace::RankRecord& record) const;

  Param<std::string> file_;
  Param<GapTimes> times_;
  Param<std::int64_t> position_;
};

}  // namespace stressbench::captured
