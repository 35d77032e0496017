// The calls of one rank of a trace, prepared for execution with arguments, memory and datatypes.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "replay/operations.hpp"
#include "replay/replay_state.hpp"
#include "trace/record.hpp"

namespace stressbench::replay {

// Whether the record has a topology communicator whose ranks are ordered differently from those of its parent, or a
// graph communicator with fewer ranks. All ranks of the job must then reproduce that order (`reordered` of
// PlanOptions).
bool is_reordered(const trace::RankRecord& record);
// File size that the reads of this rank require, in bytes: for reads through individual pointers or offsets, and its
// share of the reads through shared pointers.
struct RequiredBytes {
  std::int64_t individual = 0;
  std::int64_t shared = 0;
};
// Throws UserMistake if this rank alone needs more than `require_scratch_size` accepts.
RequiredBytes required_file_bytes(const trace::RankRecord& record);
// Throws UserMistake for a scratch file of more bytes than the limit.
void require_scratch_size(std::int64_t bytes);

// `buffer_bytes` holds the size of the buffer of each request slot. Requests that MPI_Waitany and similar calls may
// swap (Requests::complete) also swap their buffers, which therefore become as large as the largest of them. Takes time
// in proportion to the requests that the calls name.
void equalise_swappable_buffers(const std::vector<trace::Call>& calls, std::vector<std::size_t>& buffer_bytes);

// What a plan needs besides the rank's record.
struct PlanOptions {
  MPI_Comm world = MPI_COMM_NULL;
  bool reordered = false;  // `is_reordered` holds on some rank
  WindowLimits windows;    // over all ranks
  std::string scratch;     // common prefix of the scratch files' paths; empty: file calls are left out
  // Size of the scratch files: largest `RequiredBytes::individual` plus the sum of `shared`.
  std::int64_t bytes_to_read = 0;

  FileCalls files() const noexcept { return scratch.empty() ? FileCalls::skipped : FileCalls::executed; }
};

class ReplayPlan {
 public:
  // Not collective. Throws UserMistake with rank and call if the record cannot be replayed.
  ReplayPlan(const trace::RankRecord& record, PlanOptions options);
  ReplayPlan(const ReplayPlan&) = delete;
  ReplayPlan& operator=(const ReplayPlan&) = delete;
  ~ReplayPlan();

  const Instruction& operator[](int call) const noexcept { return instructions_[static_cast<std::size_t>(call)]; }
  // The calls that created the persistent requests which existed before the captured part.
  struct Preexisting {
    int creation;           // number of the call
    bool is_kept_inactive;  // the sequence waits for it as often as it starts it
  };
  const std::vector<Preexisting>& preexisting_requests() const noexcept { return preexisting_requests_; }
  // The communicators, requests and buffers that the calls use. Pages of the buffers are touched.
  ReplayState state() const;
  // Whether an access of this rank may lie outside of some window (`Windows::compare_accesses`).
  bool compares_accesses() const noexcept { return compares_accesses_; }
  // Size of the buffer for MPI_Buffer_attach; 0 if nothing is sent buffered.
  std::size_t attached_buffer_bytes() const noexcept { return attached_buffer_bytes_; }

 private:
  MPI_Op placeholder_reduction();
  struct Degrees {
    int in = 0;
    int out = 0;
    std::optional<int> dimensions;  // of a Cartesian topology
    bool operator==(const Degrees&) const = default;
  };
  // Element type of a call's messages; `unit` is its size and `extent` its extent, in bytes.
  struct Element {
    MPI_Datatype type = MPI_BYTE;
    std::int64_t unit = 1;
    std::int64_t extent = 1;
  };

  Instruction make_instruction(const trace::Call& call);
  void plan_arguments(const trace::Call& call, ArgumentKind argument_kind, Instruction& i);
  void plan_collective(const trace::Call& call, ArgumentKind argument_kind, Instruction& i);
  void plan_neighbour_collective(const trace::Call& call, ArgumentKind argument_kind, Instruction& i);
  void plan_communicator_creation(const trace::Call& call, ArgumentKind argument_kind, Instruction& i);
  void plan_completion(const trace::Call& call, Instruction& i);
  void plan_one_sided(const trace::Call& call, ArgumentKind argument_kind, Instruction& i);
  void plan_file_call(const trace::Call& call, ArgumentKind argument_kind, Instruction& i);

  Element element_of(const trace::Call& call);
  MPI_Datatype contiguous_bytes_type(std::int64_t bytes);
  MPI_Datatype contiguous_view(const trace::Call& call);
  int count(const Element& element, std::int64_t bytes) const;
  // Size in memory of messages of so many bytes. Throws UserMistake if it overflows.
  static std::size_t memory_bytes(const Element& element, std::int64_t bytes);
  void reserve_send_buffer(Instruction& i, const Element& element, std::int64_t bytes);
  void reserve_receive_buffer(const Instruction& i, const Element& element, std::int64_t bytes);
  Blocks blocks(const Element& element, const std::vector<std::int64_t>& bytes, int partners);

  const trace::Communicator& communicator(int number) const;
  int partner(const trace::Call& call, int rank) const;
  Degrees degrees(const trace::Call& call) const;
  MPI_Group members(const trace::Communicator& made);
  MPI_Group group_of(const std::vector<int>& world_ranks);
  const int* store(std::vector<int> values);

  void find_topologies();
  void compute_attached_buffer_bytes();
  void find_preexisting_requests();
  void assign_sent_bytes_to_completions();
  void check_epochs() const;

  const trace::RankRecord& record_;
  PlanOptions options_;
  std::vector<Instruction> instructions_;
  std::map<int, Degrees> topologies_;
  std::set<int> ambiguous_topologies_;  // numbers of communicators, see `find_topologies`
  std::size_t send_buffer_bytes_ = 0;
  std::size_t receive_buffer_bytes_ = 0;
  std::vector<std::size_t> request_buffer_bytes_;  // receive buffer size of each request slot, in bytes
  std::vector<Preexisting> preexisting_requests_;
  std::size_t max_requests_per_call_ = 1;
  std::size_t attached_buffer_bytes_ = 0;
  std::size_t file_slots_ = 0;
  std::vector<std::size_t> window_bytes_;  // memory of each window slot, in bytes
  std::set<int> created_windows_;
  bool compares_accesses_ = false;
  std::deque<std::string> scratch_paths_;
  ScratchFiles scratch_;
  std::deque<std::vector<int>> int_lists_;
  std::deque<std::vector<MPI_Aint>> address_lists_;
  std::deque<std::vector<MPI_Datatype>> type_lists_;
  std::vector<MPI_Datatype> types_;  // owned
  std::vector<MPI_Group> groups_;    // owned
  MPI_Op placeholder_reduction_ = MPI_OP_NULL;
};

}  // namespace stressbench::replay
