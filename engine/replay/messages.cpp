// Point-to-point calls.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "replay/operations.hpp"

namespace stressbench::replay {
namespace {

auto to_send(ReplayState& s, const Instruction& i) {
  return std::tuple(s.send_buffer(i), i.count, i.type, i.peer, i.tag, s.comm(i));
}
auto to_receive(ReplayState& s, const Instruction& i) {
  return std::tuple(s.receive_buffer(i), i.receive_count, i.type, i.peer, i.tag, s.comm(i));
}
auto to_send_receive(ReplayState& s, const Instruction& i) {
  return std::tuple(s.send_buffer(i), i.count, i.type, i.peer, i.tag, s.receive_buffer(i), i.receive_count, i.type,
                    i.source, i.receive_tag, s.comm(i));
}
auto to_replace(ReplayState& s, const Instruction& i) {
  return std::tuple(s.receive_buffer(i), i.count, i.type, i.peer, i.tag, i.source, i.receive_tag, s.comm(i));
}
auto to_probe(ReplayState& s, const Instruction& i) { return std::tuple(i.peer, i.tag, s.comm(i)); }

// The probe found a message in the program: repeat it until it finds one.
void iprobe(ReplayState& s, const Instruction& i) {
  int found = 0;
  while (!found) mpi::check(MPI_Iprobe(i.peer, i.tag, s.comm(i), &found, MPI_STATUS_IGNORE), i.name);
}
void mprobe(ReplayState& s, const Instruction& i) {
  MatchedMessage& matched = s.matched_messages.emplace_back(MatchedMessage{MPI_MESSAGE_NULL, i.peer, i.tag});
  mpi::check(MPI_Mprobe(i.peer, i.tag, s.comm(i), &matched.message, MPI_STATUS_IGNORE), i.name);
}
void improbe(ReplayState& s, const Instruction& i) {
  MatchedMessage& matched = s.matched_messages.emplace_back(MatchedMessage{MPI_MESSAGE_NULL, i.peer, i.tag});
  int found = 0;
  while (!found) {
    mpi::check(MPI_Improbe(i.peer, i.tag, s.comm(i), &found, &matched.message, MPI_STATUS_IGNORE), i.name);
  }
}
// Takes the oldest matched message of that sender and tag, since a trace does not number messages.
MPI_Message take_matched_message(ReplayState& s, const Instruction& i) {
  auto found = std::ranges::find_if(s.matched_messages,
                                    [&](const MatchedMessage& m) { return m.peer == i.peer && m.tag == i.tag; });
  if (found == s.matched_messages.end()) found = s.matched_messages.begin();
  if (found == s.matched_messages.end()) throw MachineFault("a matched receive without its probe");
  const MPI_Message message = found->message;
  s.matched_messages.erase(found);
  return message;
}
void mrecv(ReplayState& s, const Instruction& i) {
  MPI_Message message = take_matched_message(s, i);
  mpi::check(MPI_Mrecv(s.receive_buffer(i), i.receive_count, i.type, &message, MPI_STATUS_IGNORE), i.name);
}
void imrecv(ReplayState& s, const Instruction& i) {
  MPI_Message message = take_matched_message(s, i);
  mpi::check(MPI_Imrecv(s.receive_buffer(i), i.receive_count, i.type, &message, s.new_request(i)), i.name);
}

constexpr auto sends = RequestKind::send;
constexpr auto receives = RequestKind::receive;
constexpr auto persistent = RequestKind::persistent;

constexpr std::array operations{
    Operation{"MPI_Send", ArgumentKind::send, blocking<to_send, MPI_Send>},
    Operation{"MPI_Bsend", ArgumentKind::send, blocking<to_send, MPI_Bsend>},
    Operation{"MPI_Ssend", ArgumentKind::send, blocking<to_send, MPI_Ssend>},
    Operation{"MPI_Rsend", ArgumentKind::send, blocking<to_send, MPI_Rsend>},
    Operation{"MPI_Isend", ArgumentKind::send, nonblocking<to_send, MPI_Isend>, sends},
    Operation{"MPI_Ibsend", ArgumentKind::send, nonblocking<to_send, MPI_Ibsend>, sends},
    Operation{"MPI_Issend", ArgumentKind::send, nonblocking<to_send, MPI_Issend>, sends},
    Operation{"MPI_Irsend", ArgumentKind::send, nonblocking<to_send, MPI_Irsend>, sends},
    Operation{"MPI_Send_init", ArgumentKind::send, nonblocking<to_send, MPI_Send_init>, persistent},
    Operation{"MPI_Bsend_init", ArgumentKind::send, nonblocking<to_send, MPI_Bsend_init>, persistent},
    Operation{"MPI_Ssend_init", ArgumentKind::send, nonblocking<to_send, MPI_Ssend_init>, persistent},
    Operation{"MPI_Rsend_init", ArgumentKind::send, nonblocking<to_send, MPI_Rsend_init>, persistent},
    Operation{"MPI_Recv", ArgumentKind::receive, with_status<to_receive, MPI_Recv>},
    Operation{"MPI_Irecv", ArgumentKind::receive, nonblocking<to_receive, MPI_Irecv>, receives},
    Operation{"MPI_Recv_init", ArgumentKind::receive, nonblocking<to_receive, MPI_Recv_init>, persistent},
    Operation{"MPI_Sendrecv", ArgumentKind::send_receive, with_status<to_send_receive, MPI_Sendrecv>},
    Operation{"MPI_Sendrecv_replace", ArgumentKind::replace, with_status<to_replace, MPI_Sendrecv_replace>},
    Operation{"MPI_Probe", ArgumentKind::envelope, with_status<to_probe, MPI_Probe>},
    Operation{"MPI_Iprobe", ArgumentKind::envelope, iprobe},
    Operation{"MPI_Mprobe", ArgumentKind::envelope, mprobe},
    Operation{"MPI_Improbe", ArgumentKind::envelope, improbe},
    Operation{"MPI_Mrecv", ArgumentKind::receive, mrecv},
    Operation{"MPI_Imrecv", ArgumentKind::receive, creating_request(imrecv), receives},
};

}  // namespace

std::span<const Operation> message_operations() noexcept { return operations; }

}  // namespace stressbench::replay
