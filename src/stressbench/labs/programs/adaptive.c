// Adaptive routing in a switch of a lab: the program that runs for each frame that arrives at one of its ports.
//
// A switch that may choose compares its output ports by their load, as UGAL does (Singh, "Load-balanced routing in
// interconnection networks", 2005, section 4.1): a non-minimal path is taken if the load of its port times its links
// is less than that of the best minimal path, by more than a threshold. The switch that a frame enters from a host may
// choose, and those after it within a group of a dragonfly (progressive adaptive routing; Jiang, Kim and Dally, ISCA
// 2009, section 4). The decision holds for a flowlet: frames of a connection that follow each other while some of
// their bytes are not acknowledged. The next flowlet may take another path without overtaking the previous one.
//
// The load of a port is the time for which it would be busy: the frames in its queue, by their bytes and the port's
// rate, and the part of the last BUSY_NS for which it sent. A flowlet after a pause counts as if it had filled the
// port for BUSY_NS, so that connections that start at the same time do not all take the same port.
//
// A connection that never pauses would share a congested port for ever. If another path has less load, the switch that
// its frames enter from their host keeps the right edge of its window where it is, until all bytes are acknowledged:
// the host stops sending there, all its bytes arrive, and its next byte begins a flowlet. The edge never moves back:
// two hosts whose windows shrink would each number their acknowledgements as the other no longer accepts them.
//
// The source address of a frame between switches, which nobody else reads, has its state (struct tag). A frame makes
// at most one detour: to the switch `via` and from there on over static routes, which together pass no switch twice.
//
// scripts/make_programs.py compiles this file; labs/adaptive.py loads the result.
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/pkt_cls.h>
#include <linux/tcp.h>

#define SECTION(name) __attribute__((section(name), used))
#define INLINE static inline __attribute__((always_inline))
#define NONE (~0ull)
#define BIG(value) __builtin_bswap16(value)
#define BIG32(value) __builtin_bswap32(value)

enum {
  MAX_PATHS = 16,
  BUSY_NS = 20000000,
  HALF_BUSY_NS = BUSY_NS / 2,
  CONGESTED_NS = 2000000,
  IDLE_NS = 50000000,       // datagrams after such a pause begin a flowlet
  MEASURED_NS = 100000000,  // of a connection before it may be moved
  MOVING_NS = 250000000,    // between moves away from a port: a connection has to send the rest of its window
  HOLD_NS = 2000000000,     // the edge of a window is kept for at most so long
  MAX_DOUBLINGS = 6,
  NO_SWITCH = 0xffff,
  MAX_SCALE = 14,     // RFC 7323, 2.3
  NOT_SCALED = 0x80,  // a SYN without the option
  NOT_KNOWN = 0xff,   // no SYN seen
  MAX_OPTIONS = 40,
  SWITCH_ADDRESSES = 200,
  NODES_PER_OCTET = 250,
  HEADERS = ETH_HLEN + sizeof(struct iphdr),
};

enum phase { UNDECIDED, TO_VIA, MINIMAL, FROM_VIA };

struct tag {
  __u8 prefix[2];
  __u8 phase;  // 0x80 and a phase; the addresses of hosts have 0 here
  __u8 via_high, via_low;
  __u8 flowlet;
};

struct station {
  __u16 at;    // the switch of the station
  __u16 port;  // at that switch
};

struct path {
  __u16 port;
  __u16 via;
  __u16 links;
  __u16 minimal;
};

struct route {
  __u64 first;                   // port of the static route
  struct path paths[MAX_PATHS];  // again and again, so that all elements are in use
};

struct port {
  __u32 ifindex;
  __u8 address[ETH_ALEN];  // of the opposite end
  __u16 decides;           // the switch at the opposite end may still choose
  __u64 ps_per_byte;       // 0: the link is down
  __u64 free_at;           // when the last frame in the queue will have been sent, ns
  __u64 load, load_at;     // ns
  __u64 moved_at;
  __u64 minimal_bytes, nonminimal_bytes;
  __u64 moves;  // connections that it made stop
  __u64 late;   // frames to the host that arrived after one of a later flowlet
};

struct connection {
  __u32 source, destination;
  __u16 source_port, destination_port;
  __u32 protocol;
};

struct sender {
  __u32 next, acknowledged;  // sequence numbers
  __u32 flowlet;
  __u32 doublings;
  __u32 scale;  // of the windows that it advertises
  __u32 edge;   // sequence number up to which it may send
  __u32 has_edge;
  __u64 seen_at, held_until, moved_at;
};

struct choice_key {
  struct connection connection;
  __u32 at;
};

struct choice {
  __u16 port, via;
  __u16 phase, links;
  __u32 flowlet;
  __u64 since;
  __u64 load, load_at;
};

// A frame, as far as routing needs it.
struct frame {
  struct connection connection;
  __u64 now;
  __u64 bytes;  // on the wire
  __u32 payload_bytes;
  __u32 sequence, acknowledgement;
  __u32 tcp_at;  // offset of its header
  __u16 window;  // as in the header
  __u8 scale;    // in a SYN
  __u8 is_tcp, begins, fills;
  __u8 phase, flowlet, is_tagged;
  __u16 via;
};

// What a program knows of a frame. It is in a map, since the verifier would follow every combination of values that it
// knows of variables on the stack.
struct work {
  struct frame frame;
  struct choice choice;
  struct choice_key key;
};

struct map {
  __u32 type, key, value, entries, flags;
};

// Maps of one switch. `entries` of 0 are set when the map is created.
struct map scratch SECTION("maps") = {BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(__u32), sizeof(struct work), 1};
struct map here SECTION("maps") = {BPF_MAP_TYPE_ARRAY, sizeof(__u32), sizeof(__u32), 1};
struct map stations SECTION("maps") = {BPF_MAP_TYPE_ARRAY, sizeof(__u32), sizeof(struct station), 0};
struct map routes SECTION("maps") = {BPF_MAP_TYPE_ARRAY, sizeof(__u32), sizeof(struct route), 0};
struct map ports SECTION("maps") = {BPF_MAP_TYPE_ARRAY, sizeof(__u32), sizeof(struct port), 0, BPF_F_MMAPABLE};
// Maps of the whole lab.
struct map senders SECTION("maps") = {BPF_MAP_TYPE_LRU_HASH, sizeof(struct connection), sizeof(struct sender), 16384};
struct map choices SECTION("maps") = {BPF_MAP_TYPE_LRU_HASH, sizeof(struct choice_key), sizeof(struct choice), 65536};

static void* (*map_lookup_elem)(void* map, const void* key) = (void*)BPF_FUNC_map_lookup_elem;
static long (*map_update_elem)(void* map, const void* key, const void* value,
                               __u64 flags) = (void*)BPF_FUNC_map_update_elem;
static __u64 (*ktime_get_ns)(void) = (void*)BPF_FUNC_ktime_get_ns;
static long (*skb_load_bytes)(const void* skb, __u32 offset, void* to, __u32 bytes) = (void*)BPF_FUNC_skb_load_bytes;
static long (*skb_store_bytes)(void* skb, __u32 offset, const void* from, __u32 bytes,
                               __u64 flags) = (void*)BPF_FUNC_skb_store_bytes;
static long (*l4_csum_replace)(void* skb, __u32 offset, __u64 from, __u64 to,
                               __u64 flags) = (void*)BPF_FUNC_l4_csum_replace;
static long (*redirect)(__u32 ifindex, __u64 flags) = (void*)BPF_FUNC_redirect;

INLINE __u64 decayed(__u64 load, __u64 load_at, __u64 now) {
  __u64 passed = now - load_at;
  return passed >= BUSY_NS ? 0 : load - load * passed / BUSY_NS;
}

INLINE __u64 queue_ns(const struct port* port, __u64 now) { return port->free_at > now ? port->free_at - now : 0; }

INLINE __u64 load_ns(const struct port* port, __u64 now) {
  return decayed(port->load, port->load_at, now) + queue_ns(port, now);
}

// What others than this connection contribute to the load of its port.
INLINE __u64 load_of_others(const struct port* port, const struct choice* choice, __u64 now) {
  __u64 all = decayed(port->load, port->load_at, now), own = decayed(choice->load, choice->load_at, now);
  if (all == 0 || own >= all) return 0;
  return (all + queue_ns(port, now)) / 1024 * ((all - own) * 1024 / all);
}

// The window scale option of a SYN (RFC 7323, 2.2), whose TCP header begins and ends at these offsets.
INLINE __u8 window_scale(struct __sk_buff* skb, __u32 begin, __u32 end) {
  __u32 at = begin + sizeof(struct tcphdr);
  for (int i = 0; i < MAX_OPTIONS && at < end; i++) {
    struct {
      __u8 kind, bytes, value;
    } option = {};
    if (skb_load_bytes(skb, at, &option, at + sizeof option <= end ? sizeof option : 1)) break;
    if (option.kind == 3) return option.value < MAX_SCALE ? option.value : MAX_SCALE;
    if (option.kind == 0 || (option.kind != 1 && option.bytes < 2)) break;
    at += option.kind == 1 ? 1 : option.bytes;
  }
  return NOT_SCALED;
}

// Reads the headers into `frame`; false if the kernel has to forward it, by its static routes.
INLINE int read_frame(struct __sk_buff* skb, struct frame* frame) {
  if (skb->protocol != BIG(ETH_P_IP)) return 0;
  struct ethhdr ethernet;
  struct iphdr ip;
  if (skb_load_bytes(skb, 0, &ethernet, sizeof ethernet) || skb_load_bytes(skb, ETH_HLEN, &ip, sizeof ip)) return 0;
  const struct tag* tag = (const void*)ethernet.h_source;
  frame->now = ktime_get_ns();
  frame->bytes = skb->len;
  if (skb->gso_segs > 1) frame->bytes += (skb->gso_segs - 1) * (HEADERS + 32);
  frame->is_tagged = tag->phase >= 0x80;
  frame->phase = frame->is_tagged ? tag->phase & 0x7f : UNDECIDED;
  frame->via = frame->is_tagged ? tag->via_high << 8 | tag->via_low : NO_SWITCH;
  frame->flowlet = frame->is_tagged ? tag->flowlet : 0;
  frame->connection.source = ip.saddr;
  frame->connection.destination = ip.daddr;
  frame->connection.protocol = ip.protocol;
  frame->connection.source_port = frame->connection.destination_port = 0;
  frame->is_tcp = frame->begins = frame->fills = 0;
  frame->scale = NOT_KNOWN;
  frame->sequence = frame->acknowledgement = frame->payload_bytes = 0;
  __u32 at = ETH_HLEN + (ip.ihl & 15) * 4;
  if (ip.frag_off & BIG(0x3fff)) return 1;  // not every fragment has ports
  if (ip.protocol == IPPROTO_UDP) {
    __u16 both[2];
    if (skb_load_bytes(skb, at, both, sizeof both)) return 1;
    frame->connection.source_port = both[0];
    frame->connection.destination_port = both[1];
  } else if (ip.protocol == IPPROTO_TCP) {
    struct tcphdr tcp;
    if (skb_load_bytes(skb, at, &tcp, sizeof tcp)) return 1;
    frame->connection.source_port = tcp.source;
    frame->connection.destination_port = tcp.dest;
    frame->is_tcp = 1;
    frame->sequence = BIG32(tcp.seq);
    frame->acknowledgement = BIG32(tcp.ack_seq);
    __u32 until = skb->gso_segs > 1 ? skb->len : ETH_HLEN + BIG(ip.tot_len), from = at + tcp.doff * 4;
    frame->payload_bytes = until > from ? until - from : 0;
    frame->begins = tcp.syn;
    frame->fills = !!frame->payload_bytes;
    frame->window = BIG(tcp.window);
    frame->scale = tcp.syn ? window_scale(skb, at, from) : NOT_KNOWN;
    frame->tcp_at = at;
    frame->payload_bytes += tcp.syn + tcp.fin;
  }
  return 1;
}

// The flowlet of a frame that comes from a host.
INLINE void begin_or_continue(struct frame* frame) {
  struct sender* sender = map_lookup_elem(&senders, &frame->connection);
  __u32 end = frame->sequence + frame->payload_bytes;
  if (!sender || frame->begins) {
    struct sender first = {.next = end, .acknowledged = frame->sequence, .scale = frame->scale, .seen_at = frame->now};
    first.flowlet = sender ? sender->flowlet + 1 : 0;
    map_update_elem(&senders, &frame->connection, &first, BPF_ANY);
    frame->flowlet = first.flowlet;
    return;
  }
  if (!frame->is_tcp) {
    if (frame->now - sender->seen_at > IDLE_NS) sender->flowlet++;
  } else if (frame->payload_bytes) {
    if (frame->sequence == sender->next && sender->acknowledged == sender->next) sender->flowlet++;
    if ((__s32)(end - sender->next) > 0) sender->next = end;
  }
  sender->seen_at = frame->now;
  frame->flowlet = sender->flowlet;
}

// Notes an acknowledgement on its way to the host that waits for it, and keeps the edge of the window of a host that is
// to stop.
INLINE void acknowledge(struct __sk_buff* skb, const struct frame* frame) {
  struct connection reverse = {
      .source = frame->connection.destination,
      .destination = frame->connection.source,
      .source_port = frame->connection.destination_port,
      .destination_port = frame->connection.source_port,
      .protocol = frame->connection.protocol,
  };
  struct sender* sender = map_lookup_elem(&senders, &reverse);
  const struct sender* receiver = map_lookup_elem(&senders, &frame->connection);
  if (!sender || !receiver || frame->begins) return;
  if ((__s32)(frame->acknowledgement - sender->acknowledged) > 0) sender->acknowledged = frame->acknowledgement;
  if (sender->scale == NOT_KNOWN || receiver->scale == NOT_KNOWN) return;
  __u32 scale = sender->scale == NOT_SCALED || receiver->scale == NOT_SCALED ? 0 : receiver->scale & 15;
  __u32 edge = frame->acknowledgement + ((__u32)frame->window << scale);
  __s32 beyond = edge - sender->edge;
  if (sender->held_until && (sender->acknowledged == sender->next || frame->now > sender->held_until)) {
    sender->held_until = 0;
  }
  if (!sender->held_until) {
    if (!sender->has_edge || beyond > 0) sender->edge = edge;
    sender->has_edge = 1;
    return;
  }
  __s32 left = sender->edge - frame->acknowledgement;
  if (beyond <= 0 || left < 0) return;
  __u16 was = BIG(frame->window), kept = BIG((__u16)((left + (1u << scale) - 1) >> scale));
  __u32 at = frame->tcp_at;
  if (l4_csum_replace(skb, at + __builtin_offsetof(struct tcphdr, check), was, kept, sizeof kept)) return;
  skb_store_bytes(skb, at + __builtin_offsetof(struct tcphdr, window), &kept, sizeof kept, 0);
}

// The best path of a route by the load of its port; `frame->phase` says which paths may be chosen. The load of
// `old_port` is that by other connections than this one.
INLINE int decide(const struct frame* frame, const struct route* route, struct choice* choice, __u32 old_port) {
  __u64 minimal = NONE, detour = NONE;  // load times links, and the number of the path in the lowest bits
  __u32 start = (frame->connection.source_port * 31 + frame->connection.destination_port * 17 +
                 frame->connection.source / 65537 + frame->connection.destination / 257 + frame->flowlet) *
                    2654435761u >>
                16;
  for (__u32 i = 0; i < MAX_PATHS; i++) {
    __u64 number = (start + i) % MAX_PATHS;
    const struct path* path = &route->paths[number];
    __u32 key = path->port;
    const struct port* port = map_lookup_elem(&ports, &key);
    if (!port) return 0;
    __u64 load = load_ns(port, frame->now);
    if (key == old_port) load = load_of_others(port, choice, frame->now);
    load = load * path->links * MAX_PATHS + number;
    if (!port->ps_per_byte) load = NONE;
    if (path->minimal) {
      if (load / MAX_PATHS < minimal / MAX_PATHS) minimal = load;
    } else if (load / MAX_PATHS < detour / MAX_PATHS) {
      detour = load;
    }
  }
  if (frame->phase != UNDECIDED) detour = NONE;
  const struct path* path = &route->paths[minimal % MAX_PATHS];
  __u32 phase = frame->phase;
  if (detour != NONE &&
      (minimal == NONE || minimal / MAX_PATHS > detour / MAX_PATHS + (__u64)HALF_BUSY_NS * path->links)) {
    path = &route->paths[detour % MAX_PATHS];
    phase = TO_VIA;
  } else if (minimal == NONE) {
    return 0;
  }
  choice->port = path->port;
  choice->via = path->via;
  choice->links = path->links;
  choice->phase = phase;
  return 1;
}

// Whether a connection shares a congested port for so long that it may be moved.
INLINE int may_move(const struct frame* frame, const struct choice* choice, const struct port* port) {
  if (!frame->is_tcp || !frame->fills || frame->phase != UNDECIDED) return 0;
  if (frame->now - choice->since < MEASURED_NS || frame->now - port->moved_at < MOVING_NS) return 0;
  return queue_ns(port, frame->now) > CONGESTED_NS && load_of_others(port, choice, frame->now) > HALF_BUSY_NS;
}

// Lets the host stop sending, so that the connection can take another path.
INLINE void move(const struct frame* frame, struct port* port) {
  struct sender* sender = map_lookup_elem(&senders, &frame->connection);
  if (!sender || !sender->has_edge || sender->held_until) return;
  __u32 doublings = sender->doublings > MAX_DOUBLINGS ? MAX_DOUBLINGS : sender->doublings;
  if (frame->now - sender->moved_at < (__u64)MEASURED_NS << doublings) return;
  sender->held_until = frame->now + HOLD_NS;
  sender->moved_at = port->moved_at = frame->now;
  sender->doublings++;
  __sync_fetch_and_add(&port->moves, 1);
}

INLINE void count(const struct frame* frame, struct port* port, __u32 phase, struct choice* choice, int is_new) {
  __u64 ns = frame->bytes * port->ps_per_byte / 1000;
  __u64 until = port->free_at > frame->now ? port->free_at : frame->now;
  port->free_at = until + ns;
  port->load = decayed(port->load, port->load_at, frame->now) + ns;
  port->load_at = frame->now;
  __sync_fetch_and_add(phase == TO_VIA || phase == FROM_VIA ? &port->nonminimal_bytes : &port->minimal_bytes,
                       frame->bytes);
  if (!choice) return;
  choice->load = decayed(choice->load, choice->load_at, frame->now) + ns;
  choice->load_at = frame->now;
  if (is_new) {
    port->load += BUSY_NS;
    choice->load += BUSY_NS;
  }
}

// Sends a frame over a port.
INLINE int send(struct __sk_buff* skb, const struct frame* frame, __u32 number, __u32 phase, __u32 via,
                struct choice* choice, int is_new) {
  struct port* port = map_lookup_elem(&ports, &number);
  if (!port) return TC_ACT_SHOT;
  count(frame, port, phase, choice, is_new);
  struct {
    __u8 to[ETH_ALEN];
    struct tag tag;
  } ends;
  __builtin_memcpy(ends.to, port->address, ETH_ALEN);
  if (phase == UNDECIDED && !port->decides) phase = MINIMAL;
  ends.tag.prefix[0] = 0x02;
  ends.tag.prefix[1] = 0x5b;
  ends.tag.phase = 0x80 | phase;
  ends.tag.via_high = via >> 8;
  ends.tag.via_low = via;
  ends.tag.flowlet = frame->flowlet;
  if (skb_store_bytes(skb, 0, &ends, sizeof ends, 0)) return TC_ACT_SHOT;
  return redirect(port->ifindex, 0);
}

SECTION("classifier") int route_frame(struct __sk_buff* skb) {
  __u32 zero = 0;
  struct work* work = map_lookup_elem(&scratch, &zero);
  const __u32* at = map_lookup_elem(&here, &zero);
  if (!work || !at || !read_frame(skb, &work->frame)) return TC_ACT_UNSPEC;
  struct frame* frame = &work->frame;
  __u32 to = BIG32(frame->connection.destination);
  __u32 block = to >> 8 & 255, number = block * NODES_PER_OCTET + (to & 255) - 1;
  if (block >= SWITCH_ADDRESSES) return TC_ACT_UNSPEC;
  const struct station* station = map_lookup_elem(&stations, &number);
  if (!station || station->at == NO_SWITCH) return TC_ACT_UNSPEC;
  if (!frame->is_tagged) begin_or_continue(frame);

  __u32 out = station->port;
  work->key.connection = frame->connection;
  work->key.at = *at;
  struct choice* choice = map_lookup_elem(&choices, &work->key);
  if (!choice) {
    __builtin_memset(&work->choice, 0, sizeof work->choice);
    work->choice.port = NO_SWITCH;
    work->choice.flowlet = frame->flowlet;
    map_update_elem(&choices, &work->key, &work->choice, BPF_ANY);
    choice = map_lookup_elem(&choices, &work->key);
    if (!choice) return TC_ACT_SHOT;
  }
  if (station->at == *at) {
    if (frame->is_tcp) acknowledge(skb, frame);
    struct port* port = map_lookup_elem(&ports, &out);
    if (port && (__s8)(frame->flowlet - choice->flowlet) < 0) {
      __sync_fetch_and_add(&port->late, 1);
    } else {
      choice->flowlet = frame->flowlet;
    }
    return send(skb, frame, out, frame->phase, NO_SWITCH, 0, 0);
  }
  if (frame->phase == TO_VIA && frame->via == *at) frame->phase = FROM_VIA;
  __u32 target = frame->phase == TO_VIA ? frame->via : station->at;
  const struct route* route = map_lookup_elem(&routes, &target);
  if (!route) return TC_ACT_SHOT;
  if (frame->phase == TO_VIA || frame->phase == FROM_VIA) {
    return send(skb, frame, route->first, frame->phase, frame->via, 0, 0);
  }

  out = choice->port;
  struct port* port = map_lookup_elem(&ports, &out);
  int begins = !port || !port->ps_per_byte || choice->flowlet != frame->flowlet;
  int is_new = 0;
  if (begins || may_move(frame, choice, port)) {
    work->choice = *choice;
    if (!decide(frame, route, &work->choice, out)) return TC_ACT_SHOT;
    if (begins) {
      int fills = !frame->is_tcp || frame->fills;
      is_new = fills && (work->choice.port != out || decayed(choice->load, choice->load_at, frame->now) < BUSY_NS / 8);
      if (work->choice.port != out) {
        work->choice.load = 0;
        work->choice.since = frame->now;
      }
      work->choice.flowlet = frame->flowlet;
      *choice = work->choice;
    } else if (port && work->choice.port != out) {
      move(frame, port);
    }
  }
  return send(skb, frame, choice->port, choice->phase, choice->via, choice, is_new);
}
