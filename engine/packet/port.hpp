// One end of a link: a queue of frames and the token bucket that limits it, as tbf of the kernel's traffic control.
#pragma once

#include <ns3/nstime.h>
#include <ns3/packet.h>

#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace stressbench::packet {

// The order in which a switch sends frames of different hosts: as they arrived, or in turns (deficit round robin).
enum class Arbitration { fifo, fair };
enum class FlowControl { drop, pause };

struct LinkSettings {
  std::int64_t rate_bits_per_s = 0;
  std::int64_t latency_ns = 0;  // from the queue of one end to the queue of the next node
  std::int64_t queue_bytes = 0;
  std::int64_t burst_bytes = 0;
  std::int64_t marking_ns = 0;   // frames that waited longer are marked (ECN), if the node is a switch; 0: none
  std::int64_t pause_bytes = 0;  // from so many bytes of one input on, a switch pauses it; 0: never, frames are dropped
  Arbitration arbitration = Arbitration::fifo;
};

class Port;

// What receives frames: a host's NIC or a switch.
class Receiver {
 public:
  Receiver() = default;
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;
  virtual ~Receiver() = default;
  // `from`: the port at the other end of the link.
  virtual void receive(const ns3::Ptr<ns3::Packet>& packet, Port& from) = 0;
};

struct PortCounters {
  std::int64_t bytes = 0;
  std::int64_t frames = 0;
  std::int64_t drops = 0;
  std::int64_t marks = 0;
  std::int64_t pauses = 0;
  std::int64_t longest_queue_bytes = 0;
};

class Port {
 public:
  Port(const LinkSettings& settings, bool of_switch) : settings_(settings), of_switch_(of_switch) {}

  void connect(Receiver& receiver) { receiver_ = &receiver; }
  // Appends a packet (with its IP header) to the queue, or drops it. `input`: port that sent it to this node, null for
  // packets of the node itself.
  void send(const ns3::Ptr<ns3::Packet>& packet, Port* input);
  const PortCounters& counters() const noexcept { return counters_; }

 private:
  struct Frame {
    ns3::Ptr<ns3::Packet> packet;
    std::int64_t bytes;
    std::int64_t arrived_ns;
    Port* input;
  };
  // Frames of one source; all frames with Arbitration::fifo.
  struct Queue {
    std::deque<Frame> frames;
    std::int64_t bytes = 0;
    std::int64_t rest_of_turn = 0;  // bytes
  };

  void send_queued();
  void transmit(Queue& queue);
  void mark(Frame& frame);
  void count_at_switch(std::int64_t bytes);  // of frames from this port that wait at the switch behind its link
  void set_paused(bool paused);
  std::int64_t duration_ns(std::int64_t bytes) const;

  LinkSettings settings_;
  bool of_switch_;
  Receiver* receiver_ = nullptr;
  std::map<std::uint32_t, Queue> queues_;  // by source address
  std::deque<std::uint32_t> turns_;        // sources with frames
  std::int64_t waiting_bytes_ = 0;
  std::int64_t bucket_empty_until_ns_ = 0;  // when all that was sent would have left at the link's rate
  bool is_scheduled_ = false;
  bool is_paused_ = false;
  bool pause_requested_ = false;
  std::int64_t bytes_at_switch_ = 0;
  PortCounters counters_;
};

}  // namespace stressbench::packet
