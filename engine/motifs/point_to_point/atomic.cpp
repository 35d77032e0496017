// atomic: ranks increment a counter in the memory of others, like a shared work counter (IMB-RMA, OSU;
// docs/motifs/atomic.md).

#include <cstring>
#include <vector>

#include "motifs/point_to_point/one_sided.hpp"

namespace stressbench {

enum class AtomicCall { fetch_and_op, compare_and_swap };

namespace {

using Number = std::uint64_t;

class Atomic final : public OneSided {
 public:
  std::optional<Bytes> message_size() const override { return Bytes{operation_bytes()}; }
  void perform(Recorder&) override {
    with_epochs([this](const Operation& operation) { issue(operation); });
  }

 private:
  std::int64_t operation_bytes() const override { return sizeof(Number); }
  int crossings() const override { return 2; }
  Piece piece() const override { return Piece::shared; }  // one counter per target
  bool swaps() const { return *call_ == AtomicCall::compare_and_swap; }

  void issue(const Operation& operation) {
    const auto& [target, operation_index, rank, result, displacement] = operation;
    if (swaps()) {
      mpi::check(MPI_Compare_and_swap(&counter_values_[operation_index + 1], &counter_values_[operation_index], result,
                                      MPI_UINT64_T, rank, displacement, window()),
                 "MPI_Compare_and_swap");
      return;
    }
    mpi::check(MPI_Fetch_and_op(&increment_, result, MPI_UINT64_T, rank, displacement, MPI_SUM, window()),
               "MPI_Fetch_and_op");
  }

  void prepare(std::uint64_t) override {
    if (counter_values_.empty()) set_counter_values(0);
  }

  // Operation i of each origin swaps initial + i for initial + i + 1. The first origin to do so succeeds, and together
  // the origins count to initial + operations.
  void set_counter_values(Number initial) {
    counter_values_.resize(operations() + 1);
    for (std::size_t i = 0; i <= operations(); ++i) counter_values_[i] = initial + i;
  }
  static Number initial_value(std::uint64_t pass) { return pass * 1'000'003; }

  void fill_memory(std::uint64_t pass) override {
    const Number initial = initial_value(pass);
    set_counter_values(initial);
    const Number wrong = initial - 1;
    for (std::size_t target = 0; target < peers().targets.size(); ++target) {
      for (std::size_t i = 0; i < operations(); ++i) std::memcpy(local(target, i).data(), &wrong, sizeof wrong);
    }
    if (!peers().origins.empty()) std::memcpy(exposed(0, 0).data(), &initial, sizeof initial);
  }

  void verify_memory(std::uint64_t pass) const override {
    const Number initial = initial_value(pass);
    const Number operations_per_origin = operations();
    if (!peers().origins.empty()) {
      const Number expected = initial + operations_per_origin * (swaps() ? 1 : peers().origins.size());
      Number actual = 0;
      std::memcpy(&actual, exposed(0, 0).data(), sizeof actual);
      if (actual != expected)
        throw MachineFault("wrong number: rank {} has {} as its counter, expected {}", rank(), actual, expected);
    }
    // Fetched values: at least the number of this rank's own earlier operations, at most that plus all operations of
    // the others (relative to the initial value).
    const auto other_origins = static_cast<Number>(origins_per_target() - 1);
    for (std::size_t target = 0; target < peers().targets.size(); ++target) {
      for (std::size_t i = 0; i < operations(); ++i) {
        const Number min = initial + i;
        const Number max = swaps() ? (other_origins == 0 ? min : initial + operations_per_origin)
                                   : min + other_origins * operations_per_origin;
        verify_fetched(target, i, min, max);
      }
    }
  }
  void verify_fetched(std::size_t target, std::size_t operation, Number min, Number max) const {
    Number actual = 0;
    std::memcpy(&actual, local(target, operation).data(), sizeof actual);
    if (actual >= min && actual <= max) return;
    throw MachineFault("wrong number: rank {} got {} from rank {}'s counter in operation {}, expected {} to {}", rank(),
                       actual, target_rank(target), operation, min, max);
  }

  Param<AtomicCall> call_{this, "call", AtomicCall::fetch_and_op,
                          "add one and return the previous value, or swap if the value is as expected"};

  const Number increment_ = 1;
  std::vector<Number> counter_values_;
};

const RegisterMotif<Atomic> registered{"atomic", Family::point_to_point,
                                       "ranks increment a counter in the memory of others", "IMB-RMA; OSU"};

}  // namespace
}  // namespace stressbench
