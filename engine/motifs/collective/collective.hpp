// Base class of all collectives: blocking and nonblocking form, overlapped computation, and late ranks
// (docs/motifs/collectives.md). A derived class defines its call, the data it sends and the expected result.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

#include "motifs/collective/arrival.hpp"
#include "motifs/listed_calls.hpp"
#include "motifs/motif.hpp"
#include "mpi/call_or_start.hpp"

namespace stressbench {

// The share of the shorter of communication and computation that overlapped with the other, as the Intel MPI Benchmarks
// define it.
class Overlap final : public Metric {
 public:
  template <class Owner>
  explicit Overlap(Owner* owner)
      : Metric(owner, "overlap_percent", Better::higher,
               "100 (pure call + computation - call) / the shorter of the first two, between 0 and 100") {}
  void add_times(std::int64_t pure_ns, std::int64_t compute_ns, std::int64_t total_ns) noexcept {
    pure_ns_ += pure_ns;
    compute_ns_ += compute_ns;
    total_ns_ += total_ns;
  }
  double take() noexcept override;

 private:
  std::int64_t pure_ns_ = 0;
  std::int64_t compute_ns_ = 0;
  std::int64_t total_ns_ = 0;
};

class Collective : public Motif, public ListedCalls {
 public:
  void check(int ranks) const override;
  void decompose(const mpi::Group& group, const Draw& draws) final;
  void prepare(std::uint64_t execution) final;
  std::span<Metric* const> measured() const final;
  calls::CallList listed_calls(int rank, int ranks) const final;

 protected:
  enum class Forms { both, nonblocking };
  // `function`: the name in MPI without its prefix, such as Reduce_scatter.
  explicit Collective(std::string function, Forms forms = Forms::both);

  // Allocates buffers and creates communicators beyond communicator_. Collective over the group.
  virtual void lay_out(const mpi::Group& group) = 0;
  // The blocking call, or the one that starts the nonblocking form.
  virtual void call() = 0;
  // The body of `perform` in each collective: its own call, with delay, computation and completion where configured. A
  // template, since an indirect call takes 3 ns, which is 2 % of the fastest collectives.
  template <class Call>
  void perform_call(Recorder& recorder, Call call_function) {
    if (!call_only_) return perform_in_parts(recorder);
    call_function();
    if (use_nonblocking_) finish();
  }
  // Adds the blocking call to the list of a rank. Throws ParameterMistake where it is not known in advance.
  virtual void list_call(calls::CallList& list) const;
  // Completes the nonblocking form.
  virtual void finish();

  // Executes the blocking form `blocking_call` or starts the nonblocking form `nonblocking_call`.
  template <class Blocking, class Nonblocking, class... Arguments>
  void call_or_start(Blocking blocking_call, Nonblocking nonblocking_call, Arguments... arguments) {
    mpi::call_or_start(use_nonblocking_ ? &request_ : nullptr, mpi_function_.c_str(), blocking_call, nonblocking_call,
                       arguments...);
  }

  bool nonblocking() const noexcept { return !nonblocking_ || **nonblocking_; }
  const std::string& mpi_function() const noexcept { return mpi_function_; }

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_ = 1;

 private:
  bool computes() const noexcept { return compute_->value > 0; }
  void perform_in_parts(Recorder& recorder);

  std::optional<Param<bool>> nonblocking_;
  Param<Nanoseconds> compute_;
  Arrival arrival_;
  // The order matters: `measured` returns the first of these metrics, or all.
  Metric call_time_{this, "call_time_s", Better::lower,
                    "from entering the call to its completion, including computation in between (--compute), without "
                    "the delay of a late rank (--late)"};
  Metric pure_call_time_{this, "pure_call_time_s", Better::lower,
                         "the call without computation, executed once before each timed region, times its iterations"};
  Metric compute_time_{this, "compute_time_s", Better::lower, "computation between the start of the call and MPI_Wait"};
  Overlap overlap_{this};

  std::string function_;
  std::string mpi_function_;
  bool use_nonblocking_ = false;
  bool call_only_ = true;  // without computation or late ranks
  std::int64_t pure_ns_ = 0;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace stressbench
