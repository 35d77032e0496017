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
    in_epochs([this](const Operation& operation) { issue(operation); });
  }

 private:
  std::int64_t operation_bytes() const override { return sizeof(Number); }
  int crossings() const override { return 2; }
  Piece piece() const override { return Piece::one; }  // one counter per target
  bool swaps() const { return *call_ == AtomicCall::compare_and_swap; }

  void issue(const Operation& operation) {
    const auto& [target, number, rank, result, there] = operation;
    if (swaps()) {
      mpi::check(
          MPI_Compare_and_swap(&steps_[number + 1], &steps_[number], result, MPI_UINT64_T, rank, there, window()),
          "MPI_Compare_and_swap");
      return;
    }
    mpi::check(MPI_Fetch_and_op(&one_, result, MPI_UINT64_T, rank, there, MPI_SUM, window()), "MPI_Fetch_and_op");
  }

  void prepare(std::uint64_t) override {
    if (steps_.empty()) count_from(0);
  }

  // Operation i of each origin swaps start + i for start + i + 1. The first origin to do so succeeds, and together the
  // origins count to start + operations.
  void count_from(Number start) {
    steps_.resize(operations() + 1);
    for (std::size_t i = 0; i <= operations(); ++i) steps_[i] = start + i;
  }
  static Number start_of(std::uint64_t pass) { return pass * 1'000'003; }

  void stamp_memory(std::uint64_t pass) override {
    const Number start = start_of(pass);
    count_from(start);
    const Number wrong = start - 1;
    for (std::size_t target = 0; target < reach().targets.size(); ++target) {
      for (std::size_t i = 0; i < operations(); ++i) std::memcpy(local(target, i).data(), &wrong, sizeof wrong);
    }
    if (!reach().origins.empty()) std::memcpy(exposed(0, 0).data(), &start, sizeof start);
  }

  void verify_memory(std::uint64_t pass) const override {
    const Number start = start_of(pass);
    const Number each = operations();
    if (!reach().origins.empty()) {
      const Number expected = start + each * (swaps() ? 1 : reach().origins.size());
      Number found = 0;
      std::memcpy(&found, exposed(0, 0).data(), sizeof found);
      if (found != expected)
        throw MachineFault("wrong number: rank {} has {} as its counter, expected {}", rank(), found, expected);
    }
    // Fetched values: at least the number of this rank's own earlier operations, at most that plus all operations of
    // the others (relative to the start).
    const auto others = static_cast<Number>(origins_of_a_target() - 1);
    for (std::size_t target = 0; target < reach().targets.size(); ++target) {
      for (std::size_t i = 0; i < operations(); ++i) {
        const Number least = start + i;
        const Number most = swaps() ? (others == 0 ? least : start + each) : least + others * each;
        verify_fetched(target, i, least, most);
      }
    }
  }
  void verify_fetched(std::size_t target, std::size_t operation, Number least, Number most) const {
    Number found = 0;
    std::memcpy(&found, local(target, operation).data(), sizeof found);
    if (found >= least && found <= most) return;
    throw MachineFault("wrong number: rank {} got {} from rank {}'s counter in operation {}, expected {} to {}", rank(),
                       found, target_rank(target), operation, least, most);
  }

  Param<AtomicCall> call_{this, "call", AtomicCall::fetch_and_op,
                          "add one and return the previous value, or swap if the value is as expected"};

  const Number one_ = 1;
  std::vector<Number> steps_;
};

const RegisterMotif<Atomic> registered{"atomic", Family::point_to_point,
                                       "ranks increment a counter in the memory of others", "IMB-RMA; OSU"};

}  // namespace
}  // namespace stressbench
