#include "motifs/captured/gaps_from.hpp"

#include "core/error.hpp"
#include "motifs/captured/own_record.hpp"
#include "trace/read.hpp"

namespace stressbench::captured {

void GapsFrom::refuse_beside(std::initializer_list<const Parameter*> options) const {
  for (const Parameter* option : options) {
    if (were_given() && option->was_given())
      reject(option->name(), "the times of computation come from --{}; use one or the other", file_.name());
  }
}

IterationGaps GapsFrom::selected(const Select& select, const trace::RankRecord& record) const {
  try {
    return select(record);
  } catch (const UserMistake& mistake) {
    throw UserMistake("'{}', {}", *file_, mistake.what());
  }
}

void GapsFrom::check(int ranks, const Select& select) const {
  if (!were_given()) {
    for (const Parameter* option : std::initializer_list<const Parameter*>{&times_, &position_}) {
      if (option->was_given()) reject(option->name(), "requires --{}", file_.name());
    }
    return;
  }
  try {
    trace::Lines lines(*file_);
    if (!trace::read_header(lines, ranks).timed) {
      lines.position().refuse(
          "lists the calls of a motif, without times; `stressbench capture` records those of a program");
    }
    selected(select, trace::read_rank(lines, 0, ranks));
  } catch (const UserMistake& mistake) {
    reject(file_.name(), "{}", mistake.what());
  }
}

double GapsFrom::mean_s(int ranks, const Select& select) const {
  try {
    trace::Lines lines(*file_);
    trace::read_header(lines, ranks);
    double sum = 0;
    for (int rank = 0; rank < ranks; ++rank) sum += selected(select, trace::read_rank(lines, rank, ranks)).mean_s();
    trace::read_tail(lines, ranks);
    return sum / ranks;
  } catch (const UserMistake& mistake) {
    reject(file_.name(), "{}", mistake.what());
  }
}

GapSeries GapsFrom::series(const mpi::Group& group, const Select& select, double scale, std::int64_t iterations,
                           const Draw& draws) const {
  GapSeries series;
  Draw own_draws = draws;
  own_draws.rank = static_cast<std::uint32_t>(group.rank());
  collectively(group, file_.name(), [&] {
    const IterationGaps gaps = selected(select, own_record(group, *file_));
    series = GapSeries(gaps, *times_, scale, iterations, own_draws);
  });
  if (*times_ == GapTimes::sequence) {
    std::int64_t iterations_of_all = series.recorded_iterations();
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &iterations_of_all, 1, MPI_INT64_T, MPI_MIN, group.handle()),
               "MPI_Allreduce");
    series.use_recorded_iterations(iterations_of_all);
  }
  return series;
}

}  // namespace stressbench::captured
