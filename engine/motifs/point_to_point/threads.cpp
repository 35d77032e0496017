// threads: several threads of a rank send parts of one message at the same time, as separate messages or as partitions
// of one MPI-4 message (docs/motifs/threads.md).
#include <mpi.h>

#include <array>
#include <memory>

#include "core/buffer.hpp"
#include "core/payload.hpp"
#include "motifs/motif.hpp"
#include "motifs/point_to_point/pairing.hpp"
#include "motifs/point_to_point/team.hpp"

namespace stressbench {

enum class ThreadCall { send, partitioned };

namespace {

constexpr int acknowledgement_tag = 0;
constexpr int partition_tag = 1;  // the first one: the part of thread k is sent with tag 1 + k
constexpr std::int64_t acknowledgement_bytes = 4;

// A partitioned message. Owns its persistent request.
class PartitionedMessage {
 public:
#if MPI_VERSION >= 4
  static constexpr bool supported = true;
  PartitionedMessage(const Buffer& memory, int parts, int peer, bool sends, MPI_Comm communicator) {
    const auto count = static_cast<MPI_Count>(memory.size() / static_cast<std::size_t>(parts));
    mpi::check(sends ? MPI_Psend_init(memory.data(), parts, count, MPI_BYTE, peer, partition_tag, communicator,
                                      MPI_INFO_NULL, &request_)
                     : MPI_Precv_init(memory.data(), parts, count, MPI_BYTE, peer, partition_tag, communicator,
                                      MPI_INFO_NULL, &request_),
               sends ? "MPI_Psend_init" : "MPI_Precv_init");
  }
  void ready(int part) { mpi::check(MPI_Pready(part, request_), "MPI_Pready"); }
#else
  static constexpr bool supported = false;
  PartitionedMessage(const Buffer&, int, int, bool, MPI_Comm) {}
  void ready(int) {}
#endif
  PartitionedMessage(const PartitionedMessage&) = delete;
  PartitionedMessage& operator=(const PartitionedMessage&) = delete;
  ~PartitionedMessage() {
    if (request_ != MPI_REQUEST_NULL) MPI_Request_free(&request_);
  }
  void start() { mpi::check(MPI_Start(&request_), "MPI_Start"); }
  void wait() { mpi::check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait"); }

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};

class Threads final : public Motif {
 public:
  void check(int ranks) const override {
    require_ranks("threads", 2, ranks);
    if (size_->value % *threads_ != 0)
      reject("threads", "{} does not divide a message of {} bytes", *threads_, size_->value);
    if (partitioned() && !PartitionedMessage::supported) {
      reject("call",
             "partitioned needs an MPI library of standard 4.0, but this program was built with one of {}.{}; use send",
             MPI_VERSION, MPI_SUBVERSION);
    }
  }
  // A partitioned message counts as one, however the library sends it.
  Traffic traffic(int ranks) const override {
    const std::int64_t pairs = ranks / 2;
    const std::int64_t parts = partitioned() ? 1 : *threads_;
    return {.messages = pairs * (parts + 1), .message_bytes = pairs * (size_->value + acknowledgement_bytes)};
  }
  std::optional<Bytes> message_size() const override { return *size_; }
  std::string size_parameter() const override { return "size"; }
  std::optional<Bandwidth> bandwidth(int) const override {
    return Bandwidth{static_cast<double>(size_->value),
                     "of one pair: bytes of all threads' parts / time until acknowledged"};
  }

  void decompose(const mpi::Group& group, const Draw&) override {
    require_threads();
    communicator_ = group.handle();
    rank_ = group.rank();
    partner_ = partner_of(rank_, *pairs_, group.size());
    if (partner_ == no_partner) return;
    sends_ = rank_ < partner_;
    message_ = Buffer(*size_);
    part_bytes_ = static_cast<int>(size_->value / *threads_);
    const auto members = static_cast<int>(*threads_);
    if (partitioned()) {
      partitioned_message_ = std::make_unique<PartitionedMessage>(message_, members, partner_, sends_, communicator_);
    }
    // A partitioned message is received as a whole: only the sender's threads have work.
    if (sends_ || !partitioned()) {
      team_ = std::make_unique<Team>(members, [this](int member) { transfer_part(member); });
    }
  }

  void perform(Recorder&) override {
    if (partner_ == no_partner) return;
    if (partitioned_message_) partitioned_message_->start();
    if (team_) team_->run();
    if (partitioned_message_) partitioned_message_->wait();
    acknowledge();
  }

  bool is_timed() const override { return partner_ != no_partner && sends_; }

  void fill_payload(std::uint64_t pass) override {
    if (partner_ == no_partner) return;
    sends_ ? payload::fill(message_.bytes(), {rank_, partner_, pass})
           : payload::poison(message_.bytes(), {partner_, rank_, pass});
  }
  void verify(std::uint64_t pass) const override {
    if (partner_ != no_partner && !sends_) payload::check(message_.bytes(), {partner_, rank_, pass});
  }

 private:
  bool partitioned() const { return *call_ == ThreadCall::partitioned; }

  void require_threads() const {
    int provided = MPI_THREAD_SINGLE;
    mpi::check(MPI_Query_thread(&provided), "MPI_Query_thread");
    if (*threads_ == 1 || provided == MPI_THREAD_MULTIPLE) return;
    throw UserMistake(
        "--threads: {} that call MPI at once need MPI_THREAD_MULTIPLE, which MPI was not started with; "
        "add --mpi-thread-multiple (if it was given, this MPI library does not support it)",
        *threads_);
  }

  void transfer_part(int member) {
    if (partitioned_message_) return partitioned_message_->ready(member);
    std::byte* part = message_.data() + std::ptrdiff_t{member} * part_bytes_;
    const int tag = partition_tag + member;
    if (sends_) {
      mpi::check(MPI_Send(part, part_bytes_, MPI_BYTE, partner_, tag, communicator_), "MPI_Send");
    } else {
      mpi::check(MPI_Recv(part, part_bytes_, MPI_BYTE, partner_, tag, communicator_, MPI_STATUS_IGNORE), "MPI_Recv");
    }
  }
  void acknowledge() {
    std::byte* buffer = acknowledgement_.data();
    if (sends_) {
      mpi::check(MPI_Recv(buffer, acknowledgement_bytes, MPI_BYTE, partner_, acknowledgement_tag, communicator_,
                          MPI_STATUS_IGNORE),
                 "MPI_Recv");
    } else {
      mpi::check(MPI_Send(buffer, acknowledgement_bytes, MPI_BYTE, partner_, acknowledgement_tag, communicator_),
                 "MPI_Send");
    }
  }

  Param<Bytes> size_{this, 's', "size", Bytes{1 << 20}, "length of the message: the sum of all parts", FitsMessage{}};
  Param<std::int64_t> threads_{
      this, 't', "threads", 1, "threads of a rank, each with one part of the message", Positive{}, AtMost{1024}};
  Param<ThreadCall> call_{this, "call", ThreadCall::send,
                          "each thread sends its part (MPI_Send), or marks it as ready (MPI_Pready, MPI 4.0)"};
  Param<Pairing> pairs_{this, "pairs", Pairing{}, "how ranks are paired", KnownPairing{}};

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int partner_ = no_partner;
  int part_bytes_ = 0;
  bool sends_ = false;
  Buffer message_;
  std::array<std::byte, acknowledgement_bytes> acknowledgement_{};
  std::unique_ptr<PartitionedMessage> partitioned_message_;
  std::unique_ptr<Team> team_;
};

const RegisterMotif<Threads> registered{"threads", Family::point_to_point,
                                        "threads of a rank send the parts of a message at once",
                                        "MPI 4.0 partitioned communication"};

}  // namespace
}  // namespace stressbench
