#include "motifs/collective/collective.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace stressbench {

double Overlap::take() noexcept {
  const auto pure = static_cast<double>(std::exchange(pure_ns_, 0));
  const auto compute = static_cast<double>(std::exchange(compute_ns_, 0));
  const auto total = static_cast<double>(std::exchange(total_ns_, 0));
  const double shorter = std::min(pure, compute);
  return shorter > 0 ? 100.0 * std::clamp((pure + compute - total) / shorter, 0.0, 1.0) : 0.0;
}

Collective::Collective(std::string function, Forms forms)
    : compute_(this, "compute", Nanoseconds{0},
               "time that a rank computes between the start of a nonblocking call and MPI_Wait"),
      arrival_(this),
      function_(std::move(function)) {
  if (forms == Forms::both) nonblocking_.emplace(this, "nonblocking", "use the nonblocking form and MPI_Wait");
}

void Collective::check(int) const {
  if (computes() && !nonblocking())
    throw ParameterMistake("compute", "--compute: " + compute_.text() + " requires --nonblocking");
  arrival_.check();
}

void Collective::decompose(const mpi::Group& group, const Draw& draws) {
  communicator_ = group.handle();
  rank_ = group.rank();
  ranks_ = group.size();
  use_nonblocking_ = nonblocking();
  call_only_ = measured().empty();
  mpi_function_ = "MPI_" + function_;
  if (use_nonblocking_) {
    mpi_function_ = "MPI_I" + function_;
    mpi_function_[5] = static_cast<char>(std::tolower(static_cast<unsigned char>(mpi_function_[5])));
  }
  arrival_.decompose(rank_, ranks_, draws, iterations());
  lay_out(group);
}

void Collective::prepare(std::uint64_t execution) {
  arrival_.prepare(execution);
  if (!computes()) return;
  const MonotonicClock clock;
  const std::int64_t start_ns = clock.now_ns();
  call();
  finish();
  pure_ns_ = clock.now_ns() - start_ns;
}

void Collective::list_call(calls::CallList&) const { reject("", "lists of calls have no MPI_{}", function_); }

calls::CallList Collective::listed_calls(int rank, int ranks) const {
  if (arrival_.imbalanced()) reject("late", "the ranks that are late are drawn in a run");
  calls::CallList list(rank, ranks);
  list_call(list);
  if (!nonblocking()) return list;
  const calls::Request request = list.requests(1)[0];
  list.nonblocking_last(request);
  list.compute(static_cast<double>(compute_->value));
  list.wait(request);
  return list;
}

void Collective::perform_in_parts(Recorder& recorder) {
  arrival_.wait(recorder);
  const std::int64_t entry_ns = recorder.now_ns();
  call();
  const std::int64_t started_ns = computes() ? recorder.now_ns() : 0;
  if (computes()) recorder.spin_for(compute_->value);
  const std::int64_t computed_ns = computes() ? recorder.now_ns() : 0;
  if (use_nonblocking_) finish();
  const std::int64_t total_ns = recorder.now_ns() - entry_ns;
  call_time_.add(static_cast<double>(total_ns) * 1e-9);
  if (!computes()) return;
  pure_call_time_.add(static_cast<double>(pure_ns_) * 1e-9);
  compute_time_.add(static_cast<double>(computed_ns - started_ns) * 1e-9);
  overlap_.add_times(pure_ns_, computed_ns - started_ns, total_ns);
}

void Collective::finish() { mpi::check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait"); }

std::span<Metric* const> Collective::measured() const {
  if (computes()) return metrics();
  return metrics().first(arrival_.imbalanced() ? 1 : 0);
}

}  // namespace stressbench
