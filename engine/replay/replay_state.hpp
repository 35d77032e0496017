// Prepared calls of a trace, and the MPI objects and buffers that they use.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "core/buffer.hpp"
#include "mpi/group.hpp"
#include "replay/communicators.hpp"
#include "replay/files.hpp"
#include "replay/requests.hpp"
#include "replay/windows.hpp"

namespace stressbench::replay {

struct ReplayState;
struct Instruction;
using Execute = void (*)(ReplayState&, const Instruction&);

// Blocks of a v-, w- or neighbourhood collective, one per partner.
struct Blocks {
  const int* counts = nullptr;
  const int* offsets = nullptr;            // in elements
  const int* byte_offsets = nullptr;       // for w-collectives
  const MPI_Aint* long_offsets = nullptr;  // for Neighbor_alltoallw
  const MPI_Datatype* types = nullptr;     // for w-collectives
};

// One distinct call with all its arguments, so that nothing is looked up or computed when it is executed.
struct Instruction {
  Execute execute = nullptr;
  const char* name = "";  // "MPI_Isend"
  int comm = 0;
  int peer = MPI_PROC_NULL;
  int tag = 0;
  int root = 0;
  MPI_Datatype type = MPI_BYTE;
  int count = 0;               // send count
  std::size_t sent_bytes = 0;  // of the send buffer, by this call or by what it completes
  int receive_count = 0;
  int source = MPI_PROC_NULL;
  int receive_tag = 0;
  MPI_Op operation = MPI_OP_NULL;
  bool in_place = false;
  int request = -1;  // slot of the request that the call creates
  RequestKind kind = RequestKind::send;
  Slots requests;
  std::span<const int> completed;
  Blocks send_blocks;
  Blocks receive_blocks;
  Creation creation;
  int file = -1;  // slot
  MPI_Offset offset = 0;
  int whence = MPI_SEEK_SET;
  int amode = 0;
  const char* path = nullptr;
  Access access;
};

// A matched message between its probe and its receive.
struct MatchedMessage {
  MPI_Message message = MPI_MESSAGE_NULL;
  int peer = 0;
  int tag = 0;
};

struct ReplayState {
  Communicators comms;
  Requests requests;
  Buffer outgoing;  // shared by all sends, which only read it
  Buffer incoming;  // for blocking calls
  std::vector<MatchedMessage>
      matched_messages;  // messages that are matched but not received; memory is reserved beforehand
  Files files;
  Windows windows;

  MPI_Comm comm(const Instruction& i) const noexcept { return comms[i.comm]; }
  void* send_buffer(const Instruction&) const noexcept { return outgoing.data(); }
  void* receive_buffer(const Instruction& i) const noexcept {
    return i.request < 0 ? incoming.data() : requests.buffer(i.request);
  }
  // The send buffer of collectives for which the program may have used MPI_IN_PLACE.
  void* send_buffer_or_in_place(const Instruction& i) const noexcept {
    return i.in_place ? MPI_IN_PLACE : send_buffer(i);
  }
  MPI_Request* new_request(const Instruction& i) { return requests.new_handle(i.request, i.kind); }

  // Restores the state before the first call: completes or frees what the program left open.
  void release() {
    requests.release();
    windows.release();
    files.close();
    comms.release();
    matched_messages.clear();
  }
};

}  // namespace stressbench::replay
