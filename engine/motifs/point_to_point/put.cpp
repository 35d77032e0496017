// put, get: ranks write to or read from the memory of others (IMB-RMA, OSU; docs/motifs/put.md).
#include "core/payload.hpp"
#include "motifs/point_to_point/one_sided.hpp"

namespace stressbench {
namespace {

// Base class of put and get: bytes that move in one direction.
class DataTransfer : public OneSided {
 public:
  std::optional<Bytes> message_size() const override { return *size_; }
  std::string size_parameter() const override { return "size"; }

 protected:
  std::int64_t operation_bytes() const override { return size_->value; }
  int count() const { return static_cast<int>(size_->value); }

  // Payload origin of one operation between two ranks: no two operations of an iteration carry the same bytes.
  static payload::Origin origin(int sender, int receiver, std::uint64_t pass, std::size_t operation) {
    return {sender, receiver, pass * max_operations + operation};
  }
  template <class Visit>
  void for_each_local(Visit visit) const {
    for (std::size_t target = 0; target < peers().targets.size(); ++target) {
      for (std::size_t i = 0; i < operations(); ++i) visit(local(target, i), target_rank(target), i);
    }
  }
  template <class Visit>
  void for_each_exposed(Visit visit) const {
    for (std::size_t origin_index = 0; origin_index < peers().origins.size(); ++origin_index) {
      for (std::size_t i = 0; i < operations(); ++i) visit(exposed(origin_index, i), peers().origins[origin_index], i);
    }
  }

 private:
  Param<Bytes> size_{this, 's', "size", Bytes{8}, "bytes of each operation", FitsMessage{}};
};

class Put final : public DataTransfer {
 public:
  void perform(Recorder&) override {
    with_epochs([this](const Operation& operation) { issue(operation); });
  }

 private:
  void issue(const Operation& operation) {
    mpi::check(MPI_Put(operation.local, count(), MPI_BYTE, operation.rank, operation.displacement, count(), MPI_BYTE,
                       window()),
               "MPI_Put");
  }
  void fill_memory(std::uint64_t pass) override {
    for_each_local([&](auto bytes, int target, auto i) { payload::fill(bytes, origin(rank(), target, pass, i)); });
    for_each_exposed([&](auto bytes, int from, auto i) { payload::poison(bytes, origin(from, rank(), pass, i)); });
  }
  void verify_memory(std::uint64_t pass) const override {
    for_each_exposed([&](auto bytes, int from, auto i) { payload::check(bytes, origin(from, rank(), pass, i)); });
  }
};

class Get final : public DataTransfer {
 public:
  void perform(Recorder&) override {
    with_epochs([this](const Operation& operation) { issue(operation); });
  }

 private:
  void issue(const Operation& operation) {
    mpi::check(MPI_Get(operation.local, count(), MPI_BYTE, operation.rank, operation.displacement, count(), MPI_BYTE,
                       window()),
               "MPI_Get");
  }
  void fill_memory(std::uint64_t pass) override {
    for_each_exposed([&](auto bytes, int to, auto i) { payload::fill(bytes, origin(rank(), to, pass, i)); });
    for_each_local([&](auto bytes, int target, auto i) { payload::poison(bytes, origin(target, rank(), pass, i)); });
  }
  void verify_memory(std::uint64_t pass) const override {
    for_each_local([&](auto bytes, int target, auto i) { payload::check(bytes, origin(target, rank(), pass, i)); });
  }
};

const RegisterMotif<Put> put{"put", Family::point_to_point, "ranks write to the memory of others (MPI_Put)",
                             "IMB-RMA; OSU"};
const RegisterMotif<Get> get{"get", Family::point_to_point, "ranks read from the memory of others (MPI_Get)",
                             "IMB-RMA; OSU"};

}  // namespace
}  // namespace stressbench
