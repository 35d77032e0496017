// Wrappers of one-sided calls: recorded as "Put>target:displacement:bytes" with ranks of the window's group, and
// corrupted on request.
#include <fmt/format.h>
#include <mpi.h>

#include <vector>

#include "capture.hpp"
#include "capture_parts.hpp"

namespace stressbench::test::capture {
namespace {

struct Corruption {
  int index;
  std::size_t offset;
};
std::optional<Corruption> corruption;
int operations = 0;
std::vector<std::byte> copy;              // copy of the data sent, with the wrong byte
std::byte* pending_corruption = nullptr;  // byte to corrupt in the data fetched

void record_operation(const std::string& name, int target, MPI_Aint displacement, std::int64_t bytes,
                      int transfers_per_operation) {
  if (!is_recording()) return;
  record_call(fmt::format("{}>{}:{}:{}", name, target, displacement, bytes));
  if (target != MPI_PROC_NULL) count_sent({.messages = 1, .message_bytes = transfers_per_operation * bytes});
}
template <class... Values>
void record_token(std::string_view token, Values... values) {
  if (is_recording()) record_call(fmt::format(fmt::runtime(token), values...));
}

bool is_corrupted(std::int64_t bytes) {
  if (!corruption || operations++ != corruption->index) return false;
  return corruption->offset < static_cast<std::size_t>(bytes);
}
// The data to send in place of `data`.
const void* data_to_send(const void* data, std::int64_t bytes) {
  if (!is_corrupted(bytes)) return data;
  const auto* first = static_cast<const std::byte*>(data);
  copy.assign(first, first + bytes);
  copy[corruption->offset] ^= std::byte{0xff};
  corruption.reset();
  return copy.data();
}
void corrupt_on_completion(void* data, std::int64_t bytes) {
  if (!is_corrupted(bytes)) return;
  pending_corruption = static_cast<std::byte*>(data) + corruption->offset;
  corruption.reset();
}
int after_completion(int code) {
  if (pending_corruption != nullptr) *std::exchange(pending_corruption, nullptr) ^= std::byte{0xff};
  return code;
}
int members_of(MPI_Group group) {
  int size = 0;
  PMPI_Group_size(group, &size);
  return size;
}

}  // namespace

void corrupt_operation(int index, std::size_t offset) {
  operations = 0;
  corruption = Corruption{index, offset};
}

}  // namespace stressbench::test::capture

using namespace stressbench::test::capture;

extern "C" {

int MPI_Put(const void* out, int count, MPI_Datatype type, int target, MPI_Aint displacement, int target_count,
            MPI_Datatype target_type, MPI_Win window) {
  record_operation("Put", target, displacement, bytes_of(count, type), 1);
  return PMPI_Put(data_to_send(out, bytes_of(count, type)), count, type, target, displacement, target_count,
                  target_type, window);
}
int MPI_Get(void* in, int count, MPI_Datatype type, int target, MPI_Aint displacement, int target_count,
            MPI_Datatype target_type, MPI_Win window) {
  record_operation("Get", target, displacement, bytes_of(count, type), 1);
  corrupt_on_completion(in, bytes_of(count, type));
  return PMPI_Get(in, count, type, target, displacement, target_count, target_type, window);
}
int MPI_Accumulate(const void* out, int count, MPI_Datatype type, int target, MPI_Aint displacement, int target_count,
                   MPI_Datatype target_type, MPI_Op operation, MPI_Win window) {
  record_operation(is_recording() ? "Acc" + name_of(operation) : "", target, displacement, bytes_of(count, type), 1);
  return PMPI_Accumulate(data_to_send(out, bytes_of(count, type)), count, type, target, displacement, target_count,
                         target_type, operation, window);
}
int MPI_Get_accumulate(const void* out, int count, MPI_Datatype type, void* in, int in_count, MPI_Datatype in_type,
                       int target, MPI_Aint displacement, int target_count, MPI_Datatype target_type, MPI_Op operation,
                       MPI_Win window) {
  record_operation("GetAcc", target, displacement, bytes_of(count, type), 2);
  corrupt_on_completion(in, bytes_of(in_count, in_type));
  return PMPI_Get_accumulate(out, count, type, in, in_count, in_type, target, displacement, target_count, target_type,
                             operation, window);
}
int MPI_Fetch_and_op(const void* out, void* in, MPI_Datatype type, int target, MPI_Aint displacement, MPI_Op operation,
                     MPI_Win window) {
  record_operation("FetchOp", target, displacement, bytes_of(1, type), 2);
  corrupt_on_completion(in, bytes_of(1, type));
  return PMPI_Fetch_and_op(out, in, type, target, displacement, operation, window);
}
int MPI_Compare_and_swap(const void* out, const void* compare, void* in, MPI_Datatype type, int target,
                         MPI_Aint displacement, MPI_Win window) {
  record_operation("Cas", target, displacement, bytes_of(1, type), 2);
  corrupt_on_completion(in, bytes_of(1, type));
  return PMPI_Compare_and_swap(out, compare, in, type, target, displacement, window);
}

int MPI_Rget(void* in, int count, MPI_Datatype type, int target, MPI_Aint displacement, int target_count,
             MPI_Datatype target_type, MPI_Win window, MPI_Request* request) {
  record_operation("Rget", target, displacement, bytes_of(count, type), 1);
  return PMPI_Rget(in, count, type, target, displacement, target_count, target_type, window, request);
}

int MPI_Win_create(void* memory, MPI_Aint size, int unit, MPI_Info info, MPI_Comm communicator, MPI_Win* window) {
  record_token("Win_create:{}/{}@{}", size, unit, size_of(communicator));
  return PMPI_Win_create(memory, size, unit, info, communicator, window);
}
int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm communicator, void* memory, MPI_Win* window) {
  record_token("Win_allocate:{}/{}@{}", size, unit, size_of(communicator));
  return PMPI_Win_allocate(size, unit, info, communicator, memory, window);
}
int MPI_Win_free(MPI_Win* window) {
  record_token("Win_free");
  return PMPI_Win_free(window);
}
int MPI_Win_fence(int assertion, MPI_Win window) {
  record_token("Fence{}", assertion == MPI_MODE_NOPRECEDE ? "[NOPRECEDE]" : "");
  if (is_recording()) {
    MPI_Group group = MPI_GROUP_NULL;
    int rank = 0;
    PMPI_Win_get_group(window, &group);
    PMPI_Group_rank(group, &rank);
    PMPI_Group_free(&group);
    if (rank == 0) count_sent({.collectives = 1});
  }
  return after_completion(PMPI_Win_fence(assertion, window));
}
int MPI_Win_lock(int kind, int rank, int assertion, MPI_Win window) {
  record_token("Lock{}:{}", kind == MPI_LOCK_SHARED ? "" : "!", rank);
  return PMPI_Win_lock(kind, rank, assertion, window);
}
int MPI_Win_unlock(int rank, MPI_Win window) {
  record_token("Unlock:{}", rank);
  return after_completion(PMPI_Win_unlock(rank, window));
}
int MPI_Win_lock_all(int assertion, MPI_Win window) {
  record_token("LockAll");
  return PMPI_Win_lock_all(assertion, window);
}
int MPI_Win_unlock_all(MPI_Win window) {
  record_token("UnlockAll");
  return after_completion(PMPI_Win_unlock_all(window));
}
int MPI_Win_flush(int rank, MPI_Win window) {
  record_token("Flush:{}", rank);
  return after_completion(PMPI_Win_flush(rank, window));
}
int MPI_Win_flush_all(MPI_Win window) {
  record_token("FlushAll");
  return after_completion(PMPI_Win_flush_all(window));
}
int MPI_Win_post(MPI_Group group, int assertion, MPI_Win window) {
  record_token("Post({})", members_of(group));
  return PMPI_Win_post(group, assertion, window);
}
int MPI_Win_start(MPI_Group group, int assertion, MPI_Win window) {
  record_token("Start({})", members_of(group));
  return PMPI_Win_start(group, assertion, window);
}
int MPI_Win_complete(MPI_Win window) {
  record_token("Complete");
  return after_completion(PMPI_Win_complete(window));
}
int MPI_Win_wait(MPI_Win window) {
  record_token("Wait");
  return PMPI_Win_wait(window);
}

}  // extern "C"
