#include "motifs/collective/collective.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace stressbench {

double Overlap::take() noexcept {
  const auto pure = static_cast<double>(std::exchange(pure_ns_, 0));
  const auto compute = static_cast<double>(std::exchange(compute_ns_, 0));
  const auto whole = static_cast<double>(std::exchange(whole_ns_, 0));
  const double shorter = std::min(pure, compute);
  return shorter > 0 ? 100.0 * std::clamp((pure + compute - whole) / shorter, 0.0, 1.0) : 0.0;
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
  posts_ = nonblocking();
  plain_ = measured().empty();
  called_ = "MPI_" + function_;
  if (posts_) {
    called_ = "MPI_I" + function_;
    called_[5] = static_cast<char>(std::tolower(static_cast<unsigned char>(called_[5])));
  }
  arrival_.decompose(rank_, ranks_, draws, iterations());
  lay_out(group);
}

void Collective::prepare(std::uint64_t execution) {
  arrival_.prepare(execution);
  if (!computes()) return;
  const MonotonicClock clock;
  const std::int64_t start = clock.now_ns();
  call();
  finish();
  pure_ns_ = clock.now_ns() - start;
}

void Collective::perform_in_parts(Recorder& recorder) {
  arrival_.wait(recorder);
  const std::int64_t entry = recorder.now_ns();
  call();
  const std::int64_t started = computes() ? recorder.now_ns() : 0;
  if (computes()) recorder.spin_for(compute_->value);
  const std::int64_t computed = computes() ? recorder.now_ns() : 0;
  if (posts_) finish();
  const std::int64_t whole = recorder.now_ns() - entry;
  call_time_.add(static_cast<double>(whole) * 1e-9);
  if (!computes()) return;
  pure_call_time_.add(static_cast<double>(pure_ns_) * 1e-9);
  compute_time_.add(static_cast<double>(computed - started) * 1e-9);
  overlap_.note(pure_ns_, computed - started, whole);
}

void Collective::finish() { mpi::check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait"); }

std::span<Metric* const> Collective::measured() const {
  if (computes()) return metrics();
  return metrics().first(arrival_.imbalanced() ? 1 : 0);
}

}  // namespace stressbench
