#include "packet/port.hpp"

#include <ns3/ipv4-header.h>
#include <ns3/simulator.h>

#include <algorithm>

namespace stressbench::packet {
namespace {

constexpr std::int64_t ethernet_header_bytes = 14;
constexpr std::int64_t quantum_bytes = 1514;

std::int64_t now_ns() { return ns3::Simulator::Now().GetNanoSeconds(); }

}  // namespace

std::int64_t Port::duration_ns(std::int64_t bytes) const {
  // In 128 bits: 4 MiB in bits times 1e9 do not fit into 64.
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(Wide{bytes} * 8 * 1'000'000'000 / settings_.rate_bits_per_s);
}

void Port::send(const ns3::Ptr<ns3::Packet>& packet, Port* input) {
  std::uint32_t source = 0;
  if (settings_.arbitration == Arbitration::fair && of_switch_) {
    ns3::Ipv4Header header;
    packet->PeekHeader(header);
    source = header.GetSource().Get();
  }
  const std::int64_t bytes = packet->GetSize() + ethernet_header_bytes;
  Queue& queue = queues_[source];
  const bool may_pause = settings_.pause_bytes > 0;
  if (!may_pause && queue.bytes + bytes > settings_.queue_bytes) {
    ++counters_.drops;
    return;
  }
  if (queue.frames.empty()) turns_.push_back(source);
  queue.frames.push_back({packet, bytes, now_ns(), input});
  queue.bytes += bytes;
  waiting_bytes_ += bytes;
  counters_.longest_queue_bytes = std::max(counters_.longest_queue_bytes, waiting_bytes_);
  if (may_pause && input != nullptr) input->count_at_switch(bytes);
  if (!is_scheduled_) send_queued();
}

void Port::send_queued() {
  is_scheduled_ = false;
  while (!turns_.empty() && !is_paused_) {
    Queue& queue = queues_[turns_.front()];
    const std::int64_t may_leave_ns =
        bucket_empty_until_ns_ + duration_ns(queue.frames.front().bytes) - duration_ns(settings_.burst_bytes);
    if (const std::int64_t wait_ns = may_leave_ns - now_ns(); wait_ns > 0) {
      is_scheduled_ = true;
      ns3::Simulator::Schedule(ns3::NanoSeconds(wait_ns), &Port::send_queued, this);
      return;
    }
    transmit(queue);
  }
}

// A turn ends with the frame that exceeds the quantum, which counts in the next one, as in the kernel's htb: a source
// that has just become active sends when its turn comes.
void Port::transmit(Queue& queue) {
  Frame frame = std::move(queue.frames.front());
  queue.frames.pop_front();
  queue.bytes -= frame.bytes;
  queue.rest_of_turn -= frame.bytes;
  waiting_bytes_ -= frame.bytes;
  const bool turn_ends = queue.rest_of_turn < 0;
  if (turn_ends) queue.rest_of_turn += quantum_bytes;
  if (turn_ends && !queue.frames.empty()) turns_.push_back(turns_.front());
  if (turn_ends || queue.frames.empty()) turns_.pop_front();
  bucket_empty_until_ns_ = std::max(bucket_empty_until_ns_, now_ns()) + duration_ns(frame.bytes);
  ++counters_.frames;
  counters_.bytes += frame.bytes;
  if (of_switch_ && settings_.marking_ns > 0 && now_ns() - frame.arrived_ns > settings_.marking_ns) mark(frame);
  if (frame.input != nullptr && settings_.pause_bytes > 0) frame.input->count_at_switch(-frame.bytes);
  ns3::Simulator::Schedule(ns3::NanoSeconds(settings_.latency_ns),
                           [this, packet = frame.packet] { receiver_->receive(packet, *this); });
}

void Port::mark(Frame& frame) {
  ns3::Ipv4Header header;
  frame.packet->RemoveHeader(header);
  if (header.GetEcn() != ns3::Ipv4Header::ECN_NotECT) {
    header.SetEcn(ns3::Ipv4Header::ECN_CE);
    ++counters_.marks;
  }
  frame.packet->AddHeader(header);
}

// The switch pauses this port while it holds more of its frames than `pause_bytes`; a pause frame takes as long as any.
void Port::count_at_switch(std::int64_t bytes) {
  bytes_at_switch_ += bytes;
  const bool is_full = bytes_at_switch_ > settings_.pause_bytes;
  const bool has_room = bytes_at_switch_ <= settings_.pause_bytes / 2;
  if (!(pause_requested_ ? has_room : is_full)) return;
  pause_requested_ = !pause_requested_;
  counters_.pauses += pause_requested_ ? 1 : 0;
  ns3::Simulator::Schedule(ns3::NanoSeconds(settings_.latency_ns),
                           [this, paused = pause_requested_] { set_paused(paused); });
}

void Port::set_paused(bool paused) {
  is_paused_ = paused;
  if (!paused && !is_scheduled_) send_queued();
}

}  // namespace stressbench::packet
