// Point-to-point calls.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "replay/operations.hpp"

namespace stressbench::replay {
namespace {

auto to_send(ReplayState& s, const Instruction& i) {
  return std::tuple(s.out(i), i.count, i.type, i.peer, i.tag, s.comm(i));
}
auto to_receive(ReplayState& s, const Instruction& i) {
  return std::tuple(s.in(i), i.receive_count, i.type, i.peer, i.tag, s.comm(i));
}
auto to_send_receive(ReplayState& s, const Instruction& i) {
  return std::tuple(s.out(i), i.count, i.type, i.peer, i.tag, s.in(i), i.receive_count, i.type, i.source, i.receive_tag,
                    s.comm(i));
}
auto to_replace(ReplayState& s, const Instruction& i) {
  return std::tuple(s.in(i), i.count, i.type, i.peer, i.tag, i.source, i.receive_tag, s.comm(i));
}
auto to_probe(ReplayState& s, const Instruction& i) { return std::tuple(i.peer, i.tag, s.comm(i)); }

// The probe found a message in the program: repeat it until it finds one.
void iprobe(ReplayState& s, const Instruction& i) {
  int found = 0;
  while (!found) mpi::must(MPI_Iprobe(i.peer, i.tag, s.comm(i), &found, MPI_STATUS_IGNORE), i.name);
}
void mprobe(ReplayState& s, const Instruction& i) {
  Matched& matched = s.matched.emplace_back(Matched{MPI_MESSAGE_NULL, i.peer, i.tag});
  mpi::must(MPI_Mprobe(i.peer, i.tag, s.comm(i), &matched.message, MPI_STATUS_IGNORE), i.name);
}
void improbe(ReplayState& s, const Instruction& i) {
  Matched& matched = s.matched.emplace_back(Matched{MPI_MESSAGE_NULL, i.peer, i.tag});
  int found = 0;
  while (!found) {
    mpi::must(MPI_Improbe(i.peer, i.tag, s.comm(i), &found, &matched.message, MPI_STATUS_IGNORE), i.name);
  }
}
// Takes the oldest matched message of that sender and tag, since a trace does not number messages.
MPI_Message take_matched(ReplayState& s, const Instruction& i) {
  auto found = std::ranges::find_if(s.matched, [&](const Matched& m) { return m.peer == i.peer && m.tag == i.tag; });
  if (found == s.matched.end()) found = s.matched.begin();
  if (found == s.matched.end()) throw MachineFault("a matched receive without its probe");
  const MPI_Message message = found->message;
  s.matched.erase(found);
  return message;
}
void mrecv(ReplayState& s, const Instruction& i) {
  MPI_Message message = take_matched(s, i);
  mpi::must(MPI_Mrecv(s.in(i), i.receive_count, i.type, &message, MPI_STATUS_IGNORE), i.name);
}
void imrecv(ReplayState& s, const Instruction& i) {
  MPI_Message message = take_matched(s, i);
  mpi::must(MPI_Imrecv(s.in(i), i.receive_count, i.type, &message, s.make(i)), i.name);
}

constexpr auto sends = RequestKind::send;
constexpr auto receives = RequestKind::receive;
constexpr auto persistent = RequestKind::persistent;

constexpr std::array operations{
    Operation{"MPI_Send", Shape::send, blocking<to_send, MPI_Send>},
    Operation{"MPI_Bsend", Shape::send, blocking<to_send, MPI_Bsend>},
    Operation{"MPI_Ssend", Shape::send, blocking<to_send, MPI_Ssend>},
    Operation{"MPI_Rsend", Shape::send, blocking<to_send, MPI_Rsend>},
    Operation{"MPI_Isend", Shape::send, nonblocking<to_send, MPI_Isend>, sends},
    Operation{"MPI_Ibsend", Shape::send, nonblocking<to_send, MPI_Ibsend>, sends},
    Operation{"MPI_Issend", Shape::send, nonblocking<to_send, MPI_Issend>, sends},
    Operation{"MPI_Irsend", Shape::send, nonblocking<to_send, MPI_Irsend>, sends},
    Operation{"MPI_Send_init", Shape::send, nonblocking<to_send, MPI_Send_init>, persistent},
    Operation{"MPI_Bsend_init", Shape::send, nonblocking<to_send, MPI_Bsend_init>, persistent},
    Operation{"MPI_Ssend_init", Shape::send, nonblocking<to_send, MPI_Ssend_init>, persistent},
    Operation{"MPI_Rsend_init", Shape::send, nonblocking<to_send, MPI_Rsend_init>, persistent},
    Operation{"MPI_Recv", Shape::receive, with_status<to_receive, MPI_Recv>},
    Operation{"MPI_Irecv", Shape::receive, nonblocking<to_receive, MPI_Irecv>, receives},
    Operation{"MPI_Recv_init", Shape::receive, nonblocking<to_receive, MPI_Recv_init>, persistent},
    Operation{"MPI_Sendrecv", Shape::send_receive, with_status<to_send_receive, MPI_Sendrecv>},
    Operation{"MPI_Sendrecv_replace", Shape::replace, with_status<to_replace, MPI_Sendrecv_replace>},
    Operation{"MPI_Probe", Shape::envelope, with_status<to_probe, MPI_Probe>},
    Operation{"MPI_Iprobe", Shape::envelope, iprobe},
    Operation{"MPI_Mprobe", Shape::envelope, mprobe},
    Operation{"MPI_Improbe", Shape::envelope, improbe},
    Operation{"MPI_Mrecv", Shape::receive, mrecv},
    Operation{"MPI_Imrecv", Shape::receive, imrecv, receives},
};

}  // namespace

std::span<const Operation> message_operations() noexcept { return operations; }

}  // namespace stressbench::replay
