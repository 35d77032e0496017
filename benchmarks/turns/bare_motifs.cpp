// bare_NAME: a C loop of benchmarks/bare as a motif, so that it takes turns with the engine's own. What is timed is the
// C loop as it stands, all its iterations in one go.
#include "motifs/message.hpp"
#include "motifs/motif.hpp"

extern "C" {
#include "pattern.h"
extern const BarePattern bare_pingpong;
extern const BarePattern bare_bandwidth;
extern const BarePattern bare_allreduce;
extern const BarePattern bare_alltoall;
extern const BarePattern bare_put;
extern const BarePattern bare_put_flush;
extern const BarePattern bare_posix_write_one;
extern const BarePattern bare_posix_read_one;
extern const BarePattern bare_posix_write_rank;
extern const BarePattern bare_posix_read_rank;
extern const BarePattern bare_mpiio_write_one;
extern const BarePattern bare_mpiio_read_one;
extern const BarePattern bare_mpiio_write_rank;
extern const BarePattern bare_mpiio_read_rank;
}

namespace stressbench {
namespace {

class Bare final : public Motif {
 public:
  explicit Bare(const BarePattern& pattern) : pattern_(pattern) {}
  ~Bare() override { pattern_.end(); }

  Traffic traffic(int) const override { return {}; }
  std::optional<Bytes> message_size() const override { return *size_; }
  void decompose(const mpi::Group& group, const Draw&) override {
    group_ = &group;
    const auto whole =
        static_cast<std::size_t>(size_->value) * static_cast<std::size_t>(pattern_.parts != 0 ? group.size() : 1);
    outgoing_ = Buffer(whole);
    incoming_ = Buffer(whole);
  }
  void prepare(std::uint64_t) override {
    if (pattern_.before == nullptr) return;
    pattern_.before(reinterpret_cast<char*>(outgoing_.data()), static_cast<int>(size_->value), group_->rank(),
                    group_->handle());
  }
  void perform(Recorder&) override {
    pattern_.repeat(reinterpret_cast<char*>(outgoing_.data()), reinterpret_cast<char*>(incoming_.data()),
                    static_cast<int>(size_->value), group_->rank(), group_->size(), group_->handle(), *times_);
  }

 private:
  Param<Bytes> size_{this, 's', "size", Bytes{8}, "as the loop takes it", FitsMessage{}};
  Param<std::int64_t> times_{this, "times", 1, "iterations of the loop", Positive{}};

  const BarePattern& pattern_;
  const mpi::Group* group_ = nullptr;
  Buffer outgoing_;
  Buffer incoming_;
};

template <const BarePattern& pattern>
struct Registered {
  Registered() {
    MotifCatalogue::instance().add({std::string("bare_") + pattern.name, Family::probe, "a C loop", ""},
                                   [] { return std::unique_ptr<Motif>(std::make_unique<Bare>(pattern)); });
  }
};
const Registered<bare_pingpong> pingpong;
const Registered<bare_bandwidth> bandwidth;
const Registered<bare_allreduce> allreduce;
const Registered<bare_alltoall> alltoall;
const Registered<bare_put> put;
const Registered<bare_put_flush> put_flush;
const Registered<bare_posix_write_one> posix_write_one;
const Registered<bare_posix_read_one> posix_read_one;
const Registered<bare_posix_write_rank> posix_write_rank;
const Registered<bare_posix_read_rank> posix_read_rank;
const Registered<bare_mpiio_write_one> mpiio_write_one;
const Registered<bare_mpiio_read_one> mpiio_read_one;
const Registered<bare_mpiio_write_rank> mpiio_write_rank;
const Registered<bare_mpiio_read_rank> mpiio_read_rank;

}  // namespace
}  // namespace stressbench
