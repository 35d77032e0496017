// accumulate: ranks add to numbers in the memory of others (IMB-RMA, OSU; docs/motifs/accumulate.md).

#include <cstring>

#include "motifs/point_to_point/one_sided.hpp"

namespace stressbench {

enum class AccumulateCall { accumulate, get_accumulate };

namespace {

using Number = std::uint64_t;
constexpr auto number_bytes = static_cast<std::int64_t>(sizeof(Number));

struct WholeNumbers {
  static constexpr std::string_view words = "a multiple of 8 bytes, the length of a number";
  static bool holds(Bytes size) noexcept { return size.value % number_bytes == 0; }
};

Number read_number(std::span<const std::byte> memory, std::size_t index) {
  Number value = 0;
  std::memcpy(&value, memory.data() + index * sizeof value, sizeof value);
  return value;
}
void write_number(std::span<std::byte> memory, std::size_t index, Number value) {
  std::memcpy(memory.data() + index * sizeof value, &value, sizeof value);
}

// The initial value of a number, and what an origin adds: small enough that no sum overflows.
Number initial_number(std::size_t operation, std::size_t index, std::uint64_t pass) {
  return pass * 1'000'003 + operation * 101 + index;
}
constexpr Number max_contribution = 97;
Number contribution(int origin, std::size_t operation, std::size_t index, std::uint64_t pass) {
  return 1 + (static_cast<Number>(origin) * 13 + operation * 7 + index + pass) % max_contribution;
}

class Accumulate final : public OneSided {
 public:
  std::optional<Bytes> message_size() const override { return *size_; }
  std::string size_parameter() const override { return "size"; }
  void perform(Recorder&) override {
    with_epochs([this](const Operation& operation) { issue(operation); });
  }

 private:
  std::int64_t operation_bytes() const override { return size_->value; }
  int crossings() const override { return fetches() ? 2 : 1; }
  // All origins add to the same numbers.
  Piece piece() const override { return Piece::by_operation; }
  bool fetches() const { return *call_ == AccumulateCall::get_accumulate; }
  std::size_t numbers() const { return static_cast<std::size_t>(size_->value / number_bytes); }

  void issue(const Operation& operation) {
    const auto count = static_cast<int>(numbers());
    const auto& [target, operation_index, rank, origin_data, displacement] = operation;
    if (fetches()) {
      std::byte* result = fetched(target, operation_index).data();
      mpi::check(MPI_Get_accumulate(origin_data, count, MPI_UINT64_T, result, count, MPI_UINT64_T, rank, displacement,
                                    count, MPI_UINT64_T, MPI_SUM, window()),
                 "MPI_Get_accumulate");
      return;
    }
    mpi::check(
        MPI_Accumulate(origin_data, count, MPI_UINT64_T, rank, displacement, count, MPI_UINT64_T, MPI_SUM, window()),
        "MPI_Accumulate");
  }

  void prepare(std::uint64_t) override {
    const std::size_t needed = fetches() ? peers().targets.size() * operations() : 0;
    const auto length = static_cast<std::size_t>(size_->value);
    if (fetched_.size() < needed * length) fetched_ = Buffer(needed * length);
  }

  void fill_memory(std::uint64_t pass) override {
    for (std::size_t i = 0; i < operations(); ++i) {
      for (std::size_t k = 0; k < numbers(); ++k) {
        for (std::size_t target = 0; target < peers().targets.size(); ++target) {
          write_number(local(target, i), k, contribution(rank(), i, k, pass));
          if (fetches()) write_number(fetched(target, i), k, initial_number(i, k, pass) - 1);
        }
        if (!peers().origins.empty()) write_number(exposed(0, i), k, initial_number(i, k, pass));
      }
    }
  }

  void verify_memory(std::uint64_t pass) const override {
    for (std::size_t i = 0; i < operations(); ++i) {
      for (std::size_t k = 0; k < numbers(); ++k) {
        if (!peers().origins.empty()) verify_sum(i, k, pass);
        for (std::size_t target = 0; fetches() && target < peers().targets.size(); ++target) {
          verify_fetched(target, i, k, pass);
        }
      }
    }
  }
  void verify_sum(std::size_t operation, std::size_t index, std::uint64_t pass) const {
    Number expected = initial_number(operation, index, pass);
    for (const int origin : peers().origins) expected += contribution(origin, operation, index, pass);
    const Number actual = read_number(exposed(0, operation), index);
    if (actual == expected) return;
    throw MachineFault("wrong number: rank {} has {} in its window as number {} of operation {}, expected {}", rank(),
                       actual, index, operation, expected);
  }
  // Other origins may have added before, or not: with a single origin there is one correct value, otherwise a range.
  void verify_fetched(std::size_t target, std::size_t operation, std::size_t index, std::uint64_t pass) const {
    const Number min = initial_number(operation, index, pass);
    const Number max = min + max_contribution * static_cast<Number>(origins_per_target() - 1);
    const Number actual = read_number(fetched(target, operation), index);
    if (actual >= min && actual <= max) return;
    throw MachineFault("wrong number: rank {} got {} from rank {} as number {} of operation {}, expected {} to {}",
                       rank(), actual, target_rank(target), index, operation, min, max);
  }

  std::span<std::byte> fetched(std::size_t target, std::size_t operation) const {
    const auto length = static_cast<std::size_t>(size_->value);
    return fetched_.bytes((target * operations() + operation) * length, length);
  }

  Param<Bytes> size_{this, 's', "size", Bytes{8}, "bytes of each operation", FitsMessage{}, WholeNumbers{}};
  Param<AccumulateCall> call_{this, "call", AccumulateCall::accumulate, "whether the previous contents are returned"};

  Buffer fetched_;
};

const RegisterMotif<Accumulate> registered{"accumulate", Family::point_to_point,
                                           "ranks add to numbers in the memory of others (MPI_Accumulate)",
                                           "IMB-RMA; OSU"};

}  // namespace
}  // namespace stressbench
