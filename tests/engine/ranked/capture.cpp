#include "capture.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "capture_parts.hpp"

namespace stressbench::test::capture {
namespace {

struct Arrival {
  std::byte* data;
  std::size_t size;
  int index;
  MPI_Request request = MPI_REQUEST_NULL;
};
struct Corruption {
  int index;
  std::size_t offset;
};

// A persistent request.
struct Prepared {
  bool sends;
  void* data;
  int count;
  MPI_Datatype type;
};

struct State {
  bool is_recording = false;
  Record record;
  TestallResult testall = TestallResult::honest;
  std::vector<Arrival> in_flight;
  // Memory that is set aside, because motifs may create requests where tests count allocations.
  std::array<std::byte, 1 << 18> memory;
  std::pmr::monotonic_buffer_resource room{memory.data(), memory.size()};
  std::pmr::unsynchronized_pool_resource pool{&room};
  std::pmr::map<MPI_Request, Prepared> prepared{&pool};
  int receives = 0;
  std::optional<Corruption> corruption;
  bool shorten_write = false;
};
State state;

// Tokens are only formatted while calls are recorded: at other times a call costs next to nothing and allocates
// nothing.
template <class Spell>
void note(Spell spell) {
  if (state.is_recording) state.record.tokens.push_back(spell());
}
template <class Spell>
void note_test(Spell spell) {
  if (state.is_recording) state.record.tests.push_back(fmt::format("{}:{}", state.record.tokens.size(), spell()));
}

// Translates a rank of a communicator to MPI_COMM_WORLD.
int world_rank(MPI_Comm communicator, int rank) {
  if (rank == MPI_PROC_NULL || rank == MPI_ANY_SOURCE) return rank;
  MPI_Group from = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(communicator, &from);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  int translated = 0;
  PMPI_Group_translate_ranks(from, 1, &rank, world, &translated);
  PMPI_Group_free(&from);
  PMPI_Group_free(&world);
  return translated;
}

void arrived(const Arrival& arrival) {
  if (!state.corruption || state.corruption->index != arrival.index) return;
  if (state.corruption->offset < arrival.size) {
    arrival.data[state.corruption->offset] ^= std::byte{0xff};
    state.corruption.reset();
  }
}
// The receives among these requests: to be looked up before waiting, and reported when they are complete.
std::vector<Arrival> expected_of(std::span<const MPI_Request> requests) {
  std::vector<Arrival> expected;
  for (const MPI_Request request : requests) {
    const auto found = std::ranges::find(state.in_flight, request, &Arrival::request);
    if (request != MPI_REQUEST_NULL && found != state.in_flight.end()) expected.push_back(*found);
  }
  return expected;
}
void all_arrived(const std::vector<Arrival>& arrivals) {
  for (const Arrival& arrival : arrivals) {
    arrived(arrival);
    std::erase_if(state.in_flight, [&](const Arrival& a) { return a.index == arrival.index; });
  }
}

void count_message(int count, MPI_Datatype type) {
  if (!state.is_recording) return;
  ++state.record.sent.messages;
  state.record.sent.message_bytes += bytes_of(count, type);
}
void sent_message(const char* kind, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator) {
  const std::int64_t bytes = bytes_of(count, type);
  note([&] { return fmt::format("{}>{}:{}:{}", kind, world_rank(communicator, to), tag, bytes); });
  if (to != MPI_PROC_NULL) count_message(count, type);
}
void received_message(const char* kind, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator) {
  note([&] { return fmt::format("{}<{}:{}:{}", kind, world_rank(communicator, from), tag, bytes_of(count, type)); });
}
template <class Spell>
void wrote(Spell call, int count, MPI_Datatype type) {
  note([&] { return fmt::format("{}:{}", call(), bytes_of(count, type)); });
  if (state.is_recording) state.record.sent.file_bytes += bytes_of(count, type);
}
// Number of elements that a write takes of those that it is given.
int taken_of(int count) { return count - (std::exchange(state.shorten_write, false) ? 1 : 0); }

void started(MPI_Request request) {
  const auto found = state.prepared.find(request);
  if (found == state.prepared.end()) return;
  const auto& [sends, data, count, type] = found->second;
  sends ? count_message(count, type) : arrives_later(data, bytes_of(count, type), request);
}

}  // namespace

std::string name_of(MPI_Op operation) {
  const std::map<MPI_Op, std::string> names{{MPI_SUM, "[SUM]"},   {MPI_MIN, "[MIN]"}, {MPI_MAX, "[MAX]"},
                                            {MPI_PROD, "[PROD]"}, {MPI_BOR, "[BOR]"}, {MPI_MAXLOC, "[MAXLOC]"},
                                            {MPI_OP_NULL, ""}};
  const auto found = names.find(operation);
  return found == names.end() ? "[?]" : found->second;
}
void arrives_now(void* data, std::int64_t size) {
  arrived({static_cast<std::byte*>(data), static_cast<std::size_t>(size), state.receives++});
}
void arrives_later(void* data, std::int64_t size, MPI_Request request) {
  if (!state.corruption) return;
  state.in_flight.push_back({static_cast<std::byte*>(data), static_cast<std::size_t>(size), state.receives++, request});
}
void collective(std::string_view name, MPI_Op operation, std::int64_t shown, std::int64_t given,
                MPI_Comm communicator) {
  note([&] { return fmt::format("{}{}:{}@{}", name, name_of(operation), shown, size_of(communicator)); });
  if (!state.is_recording) return;
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  if (rank == 0) ++state.record.sent.collectives;
  state.record.sent.collective_bytes += given;
}

void start() {
  state.record = {};
  state.is_recording = true;
}
Record stop() {
  state.is_recording = false;
  return std::exchange(state.record, {});
}
void force_testall_result(TestallResult answer) { state.testall = answer; }
void corrupt_receive(int index, std::size_t offset) {
  state.receives = 0;
  state.corruption = Corruption{index, offset};
}
void shorten_write() { state.shorten_write = true; }
bool corruption_pending() { return state.corruption.has_value(); }

bool is_recording() { return state.is_recording; }
void record_call(std::string token) { state.record.tokens.push_back(std::move(token)); }
void count_sent(const Traffic& sent) {
  state.record.sent.messages += sent.messages;
  state.record.sent.message_bytes += sent.message_bytes;
  state.record.sent.collectives += sent.collectives;
}

std::string joined(const std::vector<std::string>& tokens) {
  std::string line;
  for (const auto& token : tokens) {
    if (!line.empty()) line += ' ';
    line += token;
  }
  return line;
}

}  // namespace stressbench::test::capture

using namespace stressbench::test::capture;

extern "C" {

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator) {
  sent_message("S", count, type, to, tag, communicator);
  return PMPI_Send(data, count, type, to, tag, communicator);
}
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
              MPI_Request* request) {
  sent_message("Is", count, type, to, tag, communicator);
  return PMPI_Isend(data, count, type, to, tag, communicator, request);
}
int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator, MPI_Status* status) {
  received_message("R", count, type, from, tag, communicator);
  const int code = PMPI_Recv(data, count, type, from, tag, communicator, status);
  arrives_now(data, bytes_of(count, type));
  return code;
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator,
              MPI_Request* request) {
  received_message("Ir", count, type, from, tag, communicator);
  const int code = PMPI_Irecv(data, count, type, from, tag, communicator, request);
  arrives_later(data, bytes_of(count, type), *request);
  return code;
}
int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm communicator, MPI_Status* status) {
  note([&] {
    return fmt::format("SR>{}:{}<{}:{}", world_rank(communicator, to), bytes_of(out_count, out_type),
                       world_rank(communicator, from), bytes_of(in_count, in_type));
  });
  if (to != MPI_PROC_NULL) count_message(out_count, out_type);
  const int code =
      PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, communicator, status);
  arrives_now(in, bytes_of(in_count, in_type));
  return code;
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  note([&] { return std::string("W(1)"); });
  const auto arrivals = expected_of({request, 1});
  const int code = PMPI_Wait(request, status);
  all_arrived(arrivals);
  return code;
}
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  note([&] { return fmt::format("Wa({})", count); });
  const auto arrivals = expected_of({requests, static_cast<std::size_t>(count)});
  const int code = PMPI_Waitall(count, requests, statuses);
  all_arrived(arrivals);
  return code;
}
int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  note([&] { return fmt::format("Wy({})", count); });
  return PMPI_Waitany(count, requests, index, status);
}
int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  note([&] { return fmt::format("Ws({})", count); });
  return PMPI_Waitsome(count, requests, done, indices, statuses);
}
int MPI_Test(MPI_Request* request, int* complete, MPI_Status* status) {
  note_test([&] { return std::string("Test(1)"); });
  return PMPI_Test(request, complete, status);
}
int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  note_test([&] { return fmt::format("Testsome({})", count); });
  return PMPI_Testsome(count, requests, done, indices, statuses);
}
int MPI_Testany(int count, MPI_Request requests[], int* index, int* complete, MPI_Status* status) {
  note_test([&] { return fmt::format("Testany({})", count); });
  return PMPI_Testany(count, requests, index, complete, status);
}
int MPI_Testall(int count, MPI_Request requests[], int* complete, MPI_Status statuses[]) {
  note_test([&] { return fmt::format("Testall({})", count); });
  const auto arrivals = expected_of({requests, static_cast<std::size_t>(count)});
  int code = MPI_SUCCESS;
  if (state.testall == TestallResult::honest || count == 0) {
    code = PMPI_Testall(count, requests, complete, statuses);
  } else {
    *complete = state.testall == TestallResult::complete;
    if (*complete) code = PMPI_Waitall(count, requests, statuses);
  }
  if (*complete) all_arrived(arrivals);
  return code;
}

int MPI_Comm_dup(MPI_Comm communicator, MPI_Comm* new_communicator) {
  note([&] { return std::string("Comm_dup"); });
  return PMPI_Comm_dup(communicator, new_communicator);
}
int MPI_Comm_split(MPI_Comm communicator, int colour, int key, MPI_Comm* new_communicator) {
  note([&] { return std::string("Comm_split"); });
  return PMPI_Comm_split(communicator, colour, key, new_communicator);
}
int MPI_Comm_create_group(MPI_Comm communicator, MPI_Group group, int tag, MPI_Comm* new_communicator) {
  note([&] { return fmt::format("Comm_create_group:{}", tag); });
  return PMPI_Comm_create_group(communicator, group, tag, new_communicator);
}
int MPI_Comm_free(MPI_Comm* communicator) {
  note([&] { return fmt::format("Comm_free@{}", size_of(*communicator)); });
  return PMPI_Comm_free(communicator);
}
int MPI_Cart_create(MPI_Comm communicator, int dimensions, const int dims[], const int periods[], int reorder,
                    MPI_Comm* new_communicator) {
  note([&] { return fmt::format("Cart_create:{}", dimensions); });
  return PMPI_Cart_create(communicator, dimensions, dims, periods, reorder, new_communicator);
}
int MPI_Cart_sub(MPI_Comm communicator, const int remain[], MPI_Comm* new_communicator) {
  const int code = PMPI_Cart_sub(communicator, remain, new_communicator);
  note([&] { return fmt::format("Cart_sub@{}", size_of(*new_communicator)); });
  return code;
}
int MPI_Dist_graph_create_adjacent(MPI_Comm communicator, int indegree, const int sources[], const int source_weights[],
                                   int outdegree, const int destinations[], const int destination_weights[],
                                   MPI_Info info, int reorder, MPI_Comm* new_communicator) {
  note([&] { return fmt::format("Dist_graph:{}:{}@{}", indegree, outdegree, size_of(communicator)); });
  return PMPI_Dist_graph_create_adjacent(communicator, indegree, sources, source_weights, outdegree, destinations,
                                         destination_weights, info, reorder, new_communicator);
}
int MPI_Send_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
                  MPI_Request* request) {
  note([&] { return fmt::format("Si>{}:{}:{}", world_rank(communicator, to), tag, bytes_of(count, type)); });
  const int code = PMPI_Send_init(data, count, type, to, tag, communicator, request);
  state.prepared[*request] = {true, nullptr, count, type};
  return code;
}
int MPI_Recv_init(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator,
                  MPI_Request* request) {
  received_message("Ri", count, type, from, tag, communicator);
  const int code = PMPI_Recv_init(data, count, type, from, tag, communicator, request);
  state.prepared[*request] = {false, data, count, type};
  return code;
}
int MPI_Start(MPI_Request* request) {
  note([&] { return std::string("St(1)"); });
  started(*request);
  return PMPI_Start(request);
}
int MPI_Startall(int count, MPI_Request requests[]) {
  note([&] { return fmt::format("St({})", count); });
  for (int k = 0; k < count; ++k) started(requests[k]);
  return PMPI_Startall(count, requests);
}
int MPI_Request_free(MPI_Request* request) {
  note([&] { return std::string("Request_free"); });
  state.prepared.erase(*request);
  return PMPI_Request_free(request);
}
int MPI_Cancel(MPI_Request* request) {
  note([&] { return std::string("Cancel"); });
  return PMPI_Cancel(request);
}

int MPI_File_set_view(MPI_File file, MPI_Offset offset, MPI_Datatype etype, MPI_Datatype filetype,
                      const char* representation, MPI_Info info) {
  note([&] { return fmt::format("File_set_view:{}/{}", offset, bytes_of(1, etype)); });
  return PMPI_File_set_view(file, offset, etype, filetype, representation, info);
}
int MPI_File_iread_at(MPI_File file, MPI_Offset offset, void* data, int count, MPI_Datatype type,
                      MPI_Request* request) {
  note([&] { return fmt::format("File_iread_at:{}:{}", offset, bytes_of(count, type)); });
  if (state.is_recording) state.record.sent.file_bytes += bytes_of(count, type);
  return PMPI_File_iread_at(file, offset, data, count, type, request);
}
int MPI_File_read_shared(MPI_File file, void* data, int count, MPI_Datatype type, MPI_Status* status) {
  note([&] { return fmt::format("File_read_shared:{}", bytes_of(count, type)); });
  MPI_Status own;
  const int code = PMPI_File_read_shared(file, data, count, type, &own);
  int read = 0;
  PMPI_Get_count(&own, MPI_BYTE, &read);
  if (state.is_recording) state.record.sent.file_bytes += read;
  if (status != MPI_STATUS_IGNORE) *status = own;
  return code;
}
int MPI_File_open(MPI_Comm communicator, const char* path, int mode, MPI_Info info, MPI_File* file) {
  note([&] { return fmt::format("File_open@{}", size_of(communicator)); });
  return PMPI_File_open(communicator, path, mode, info, file);
}
int MPI_File_close(MPI_File* file) {
  note([&] { return std::string("File_close"); });
  return PMPI_File_close(file);
}
int MPI_File_sync(MPI_File file) {
  note([&] { return std::string("File_sync"); });
  return PMPI_File_sync(file);
}
int MPI_File_seek(MPI_File file, MPI_Offset offset, int whence) {
  note([&] { return fmt::format("File_seek:{}", offset); });
  return PMPI_File_seek(file, offset, whence);
}
int MPI_File_write(MPI_File file, const void* data, int count, MPI_Datatype type, MPI_Status* status) {
  wrote([] { return "File_write"; }, count, type);
  return PMPI_File_write(file, data, taken_of(count), type, status);
}
int MPI_File_write_all(MPI_File file, const void* data, int count, MPI_Datatype type, MPI_Status* status) {
  wrote([] { return "File_write_all"; }, count, type);
  return PMPI_File_write_all(file, data, taken_of(count), type, status);
}
int MPI_File_write_at(MPI_File file, MPI_Offset offset, const void* data, int count, MPI_Datatype type,
                      MPI_Status* status) {
  wrote([&] { return fmt::format("File_write_at:{}", offset); }, count, type);
  return PMPI_File_write_at(file, offset, data, taken_of(count), type, status);
}
int MPI_File_write_at_all(MPI_File file, MPI_Offset offset, const void* data, int count, MPI_Datatype type,
                          MPI_Status* status) {
  wrote([&] { return fmt::format("File_write_at_all:{}", offset); }, count, type);
  return PMPI_File_write_at_all(file, offset, data, taken_of(count), type, status);
}
int MPI_File_iwrite(MPI_File file, const void* data, int count, MPI_Datatype type, MPI_Request* request) {
  return PMPI_File_iwrite(file, data, taken_of(count), type, request);
}
int MPI_File_iwrite_at(MPI_File file, MPI_Offset offset, const void* data, int count, MPI_Datatype type,
                       MPI_Request* request) {
  return PMPI_File_iwrite_at(file, offset, data, taken_of(count), type, request);
}
int MPI_File_iwrite_all(MPI_File file, const void* data, int count, MPI_Datatype type, MPI_Request* request) {
  return PMPI_File_iwrite_all(file, data, taken_of(count), type, request);
}
int MPI_File_iwrite_at_all(MPI_File file, MPI_Offset offset, const void* data, int count, MPI_Datatype type,
                           MPI_Request* request) {
  return PMPI_File_iwrite_at_all(file, offset, data, taken_of(count), type, request);
}
int MPI_File_read_at_all(MPI_File file, MPI_Offset offset, void* data, int count, MPI_Datatype type,
                         MPI_Status* status) {
  const int code = PMPI_File_read_at_all(file, offset, data, count, type, status);
  arrives_now(data, bytes_of(count, type));
  return code;
}

}  // extern "C"
