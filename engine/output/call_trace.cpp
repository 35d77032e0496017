#include "output/call_trace.hpp"

#include <fmt/format.h>

#include <bit>
#include <numeric>
#include <optional>
#include <string_view>
#include <variant>

#include "core/checked.hpp"
#include "trace/line.hpp"

namespace stressbench::output {
namespace {

using Json = nlohmann::ordered_json;

std::string sealed(const Json& object) { return trace::with_checksum(object.dump()); }

const char* type_name(calls::ElementType type) {
  switch (type) {
    case calls::ElementType::bytes:
      return "BYTE";
    case calls::ElementType::shorts:
      return "SHORT";
    case calls::ElementType::ints:
      return "INT";
    case calls::ElementType::floats:
      return "FLOAT";
    case calls::ElementType::doubles:
      return "DOUBLE";
  }
  return "BYTE";
}

const char* reduction_name(calls::ReduceOp op) {
  switch (op) {
    case calls::ReduceOp::sum:
      return "SUM";
    case calls::ReduceOp::min:
      return "MIN";
    case calls::ReduceOp::max:
      return "MAX";
    case calls::ReduceOp::user:
      return "USER";
  }
  return "SUM";
}

// [first, stride, count] of the longest arithmetic sequences that follow one another.
Json runs_of(const std::vector<int>& ranks) {
  Json runs = Json::array();
  for (std::size_t first = 0; first < ranks.size();) {
    const int stride = first + 1 < ranks.size() ? ranks[first + 1] - ranks[first] : 1;
    std::size_t next = first + 1;
    while (next < ranks.size() && ranks[next] - ranks[next - 1] == stride) ++next;
    runs.push_back({ranks[first], stride, next - first});
    first = next;
  }
  return runs;
}

Json communicator(std::size_t slot, int size, int rank, const Json& members) {
  return {{"slot", slot}, {"size", size}, {"rank", rank}, {"members", members}, {"inter", false}};
}

Json byte_counts(const std::vector<int>& counts, calls::ElementType type) {
  Json bytes = Json::array();
  for (const int count : counts) bytes.push_back(count * calls::size_of(type));
  return bytes;
}

constexpr int null_request = -1;

Json slots_of(calls::Requests requests, int first_slot) {
  Json slots = Json::array();
  for (int k = 0; k < requests.count; ++k) slots.push_back(first_slot + requests[k].slot);
  return slots;
}

// Calls by size class: element 0 has those of 0 bytes, element k those with k binary digits.
class SizeClasses {
 public:
  void add(std::int64_t bytes, std::int64_t times) {
    const auto digits = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes)));
    if (counts_.size() <= digits) counts_.resize(digits + 1, 0);
    counts_[digits] += times;
  }
  const std::vector<std::int64_t>& counts() const noexcept { return counts_; }

 private:
  std::vector<std::int64_t> counts_;
};

bool is_collective(const Json& fields) { return fields.contains("comm") && !fields.contains("peer"); }

}  // namespace

std::string trace_header_line(const std::string& program, int ranks) {
  return sealed({{"type", "header"},
                 {"format", "stressbench-trace"},
                 {"version", 1},
                 {"mode", "capture"},
                 {"ranks", ranks},
                 {"program", program},
                 {"timed", false}});
}

std::string trace_end_line(int ranks) { return sealed({{"type", "end"}, {"ranks", ranks}, {"complete", true}}); }

void SplitMembers::add(const calls::CallList& calls) {
  for (std::size_t k = 0; k < calls.splits().size(); ++k) {
    const calls::CallList::Split& split = calls.splits()[k];
    std::vector<int>& members = members_[{k, split.colour}];
    members.resize(static_cast<std::size_t>(split.ranks.size), -1);
    members.at(static_cast<std::size_t>(split.ranks.rank)) = calls.rank();
  }
}

// Adds the calls of a list to the sequence.
class RankSequence::Writer {
 public:
  Writer(RankSequence& sequence, const calls::CallList& calls, double scale)
      : sequence_(sequence),
        calls_(calls),
        scale_(scale),
        first_slot_(sequence.request_slots_),
        first_split_(sequence.comms_.size()),
        persistent_(calls),
        inits_(static_cast<std::size_t>(calls.request_slots()), -1),
        states_(static_cast<std::size_t>(calls.request_slots()), State::never) {
    sequence.request_slots_ += calls.request_slots();
    for (const calls::Call& call : calls.calls()) {
      std::visit(
          [this](const auto& one) {
            if (const auto request = created_by(one)) state_of(request->slot) = State::null;
          },
          call);
    }
  }

  Part write(const SplitMembers& members) {
    for (std::size_t k = 0; k < calls_.splits().size(); ++k) {
      const auto& [colour, ranks] = calls_.splits()[k];
      sequence_.comms_.push_back(
          communicator(sequence_.comms_.size(), ranks.size, ranks.rank, runs_of(members.of(k, colour))));
    }
    for (const calls::PersistentCall& persistent : calls_.persistent()) {
      std::visit([this](const auto& call) { create_before(call); }, persistent);
    }
    for (const calls::Call& call : calls_.calls()) {
      std::visit([this, &call](const auto& one) { add(call, one); }, call);
    }
    return sequence_.add(open_.back());
  }

 private:
  template <class C>
  Json fields_of(std::string_view op, const C& call) const {
    Json fields{{"op", op}};
    if constexpr (calls::IsCollective<C>) {
      fields["comm"] = call.comm == 0 ? 0 : first_split_ + static_cast<std::size_t>(call.comm) - 1;
    } else if constexpr (calls::Sends<C> || calls::Receives<C> || std::same_as<C, calls::UnmatchedIrecv>) {
      fields["comm"] = 0;
    }
    if constexpr (calls::Sends<C>) {
      fields["peer"] = call.out.to;
      fields["tag"] = call.out.tag;
      fields["bytes"] = call.out.count * calls::size_of(call.type);
      if constexpr (calls::Receives<C>) {
        fields["source"] = call.in.from;
        fields["receive_tag"] = call.in.tag;
        fields["receive_bytes"] = call.in.capacity * calls::size_of(call.type);
      }
    } else if constexpr (calls::Receives<C>) {
      fields["peer"] = call.in.from;
      fields["tag"] = call.in.tag;
      fields["bytes"] = call.in.capacity * calls::size_of(call.type);
    } else if constexpr (std::same_as<C, calls::UnmatchedIrecv>) {
      fields["peer"] = call.from;
      fields["tag"] = call.tag;
      fields["bytes"] = call.capacity * calls::size_of(call.type);
    } else if constexpr (std::same_as<C, calls::Barrier>) {
      fields["bytes"] = 0;
    } else if constexpr (std::same_as<C, calls::Alltoallv>) {
      const std::vector<int>& counts = calls_.list(call.counts_to);
      fields["bytes"] = std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) * calls::size_of(call.type);
      fields["counts"] = byte_counts(counts, call.type);
      fields["receive_counts"] = byte_counts(calls_.list(call.counts_from), call.type);
    } else if constexpr (calls::IsCollective<C>) {
      fields["bytes"] = call.count * calls::size_of(call.type);
    }
    if constexpr (std::same_as<C, calls::Allgatherv>)
      fields["receive_counts"] = byte_counts(calls_.list(call.counts), call.type);
    if constexpr (requires { call.type; }) {
      fields["type"] = type_name(call.type);
      fields["unit"] = calls::size_of(call.type);
    }
    if constexpr (calls::IsReduction<C>) fields["reduction"] = reduction_name(call.op);
    if constexpr (requires { call.root; }) fields["root"] = call.root;
    if constexpr (requires { call.source; }) {
      if (call.source != calls::Source::named) fields["any"] = "source";
    }
    if (const auto request = created_by(call)) fields["request"] = first_slot_ + request->slot;
    return fields;
  }

  template <class C>
  static std::optional<calls::Request> created_by(const C& call) {
    constexpr bool is_message = calls::Sends<C> || calls::Receives<C> || std::same_as<C, calls::UnmatchedIrecv>;
    if constexpr ((calls::IsCollective<C> || is_message) && requires { call.request; }) {
      return call.request;
    } else {
      return std::nullopt;
    }
  }

  // A persistent request that exists before the sequence begins.
  template <class C>
  void create_before(const C& call) {
    Json fields = fields_of(calls::Sends<C> ? "Send_init" : "Recv_init", call);
    inits_[static_cast<std::size_t>(call.request.slot)] = sequence_.number_of({std::move(fields)});
    state_of(call.request.slot) = State::persistent;
  }

  template <class C>
  void add(const calls::Call& call, const C& one) {
    if constexpr (std::same_as<C, calls::Repeat>) {
      open_.emplace_back();
      times_.push_back(one.times);
    } else if constexpr (std::same_as<C, calls::EndRepeat>) {
      const Part body = sequence_.add(open_.back());
      open_.pop_back();
      open_.back().push_back({body, times_.back()});
      times_.pop_back();
    } else if constexpr (std::same_as<C, calls::Compute>) {
      const double nanoseconds = one.duration_ns * scale_;
      if (sequence_.computations_ == Computations::left_out || nanoseconds <= 0) return;
      DistinctCall distinct{{{"op", "Compute"}}};
      distinct.computed_ns = nanoseconds;
      open_.back().push_back({Part{sequence_.number_of(std::move(distinct))}, 1});
    } else if constexpr (!std::same_as<C, calls::Compute> && !std::same_as<C, calls::TestAll>) {
      DistinctCall distinct{fields_of(calls::mpi_function(call), one)};
      complete(distinct, one);
      open_.back().push_back({Part{sequence_.number_of(std::move(distinct))}, 1});
    }
  }

  // Adds the requests that the call names and the messages that it sends.
  template <class C>
  void complete(DistinctCall& distinct, const C& call) {
    if (const auto request = created_by(call)) {
      constexpr bool lasts = std::same_as<C, calls::SendInit> || std::same_as<C, calls::ReceiveInit>;
      state_of(request->slot) = lasts ? State::persistent : State::pending;
    }
    const auto send = [&](const auto& message) {
      if (message.out.to >= 0)
        distinct.messages.emplace_back(message.out.to, message.out.count * calls::size_of(message.type));
    };
    persistent_.visit_started(call, send);
    if constexpr (std::same_as<C, calls::StartAll>) {
      start(distinct, call.requests);
      Json& inits = distinct.fields["inits"] = Json::array();
      for (int k = 0; k < call.requests.count; ++k)
        inits.push_back(inits_[static_cast<std::size_t>(call.requests[k].slot)]);
    } else if constexpr (std::same_as<C, calls::Start>) {
      start(distinct, {call.request.slot, 1});
    } else if constexpr (calls::Sends<C> && !std::same_as<C, calls::SendInit>) {
      send(call);
    } else if constexpr (std::same_as<C, calls::Wait> || std::same_as<C, calls::FreeRequest> ||
                         std::same_as<C, calls::Cancel>) {
      distinct.fields["requests"] = slots_of({call.request.slot, 1}, first_slot_);
      set_state(call.request.slot, State::pending, State::null);
    } else if constexpr (std::same_as<C, calls::WaitAll> || std::same_as<C, calls::WaitAllUnlessTested>) {
      distinct.fields["requests"] = waited_for(call.requests);
      distinct.follows_test = std::same_as<C, calls::WaitAllUnlessTested>;
    }
  }

  // The slots of a wait, with that of a null request in place of those that hold none at that point. What a loop leaves
  // in a slot for its next pass is not known when the call is written.
  Json waited_for(calls::Requests requests) {
    Json slots = slots_of(requests, first_slot_);
    for (int k = 0; k < requests.count; ++k) {
      const int slot = requests[k].slot;
      if (state_of(slot) == State::never || (state_of(slot) == State::null && open_.size() == 1))
        slots[static_cast<std::size_t>(k)] = null_request;
      set_state(slot, State::pending, State::null);
    }
    return slots;
  }

  enum class State : std::uint8_t { never, null, pending, persistent };  // of a slot; never: nothing uses it
  State& state_of(int slot) { return states_[static_cast<std::size_t>(slot)]; }
  void set_state(int slot, State from, State to) {
    if (state_of(slot) == from) state_of(slot) = to;
  }

  void start(DistinctCall& distinct, calls::Requests requests) const {
    std::int64_t sum = 0;
    for (const auto& [to, bytes] : distinct.messages) sum += bytes;
    distinct.fields["bytes"] = sum;
    distinct.fields["requests"] = slots_of(requests, first_slot_);
  }

  RankSequence& sequence_;
  const calls::CallList& calls_;
  double scale_;
  int first_slot_;
  std::size_t first_split_;
  calls::PersistentSends persistent_;
  std::vector<std::int64_t> inits_;         // the call that created the request before the sequence, by slot
  std::vector<State> states_;               // by slot
  std::vector<std::vector<Item>> open_{1};  // loops, the innermost last
  std::vector<std::int64_t> times_;
};

RankSequence::RankSequence(int rank, int ranks, Computations computations)
    : rank_(rank), ranks_(ranks), computations_(computations) {
  comms_.push_back(communicator(0, ranks, rank, Json::array({Json::array({0, 1, ranks})})));
  comms_.push_back(communicator(1, 1, 0, Json::array({Json::array({rank, 1, 1})})));
}

RankSequence::Part RankSequence::add(const calls::CallList& calls, const SplitMembers& members, double scale) {
  return Writer(*this, calls, scale).write(members);
}

RankSequence::Part RankSequence::add(const std::vector<Item>& items) {
  std::vector<Item> rule;
  for (const Item& item : items) {
    if (item.times <= 0 || (item.part.symbol < 0 && rules_[static_cast<std::size_t>(-item.part.symbol - 1)].empty()))
      continue;
    if (!rule.empty() && rule.back().part.symbol == item.part.symbol) {
      rule.back().times = checked::sum(rule.back().times, item.times);
    } else {
      rule.push_back(item);
    }
  }
  if (rule.size() == 1 && rule.front().times == 1) return rule.front().part;
  rules_.push_back(std::move(rule));
  return {-static_cast<std::int64_t>(rules_.size())};
}

std::int64_t RankSequence::number_of(DistinctCall call) {
  const std::string key = call.fields.dump() + (call.follows_test ? "?" : "") +
                          (call.computed_ns > 0 ? fmt::format("{}", call.computed_ns) : "");
  const auto [place, is_new] = numbers_.try_emplace(key, static_cast<std::int64_t>(calls_.size()));
  if (is_new) calls_.push_back(std::move(call));
  return place->second;
}

std::vector<std::int64_t> RankSequence::executions(Part whole) const {
  std::vector<std::int64_t> calls(calls_.size(), 0);
  std::vector<std::int64_t> rules(rules_.size(), 0);
  const auto count = [&](Part part, std::int64_t times) {
    std::int64_t& sum = part.symbol >= 0 ? calls[static_cast<std::size_t>(part.symbol)]
                                         : rules[static_cast<std::size_t>(-part.symbol - 1)];
    sum = checked::sum(sum, times);
  };
  count(whole, 1);
  for (std::size_t k = rules_.size(); k-- > 0;) {
    for (const Item& item : rules_[k]) count(item.part, checked::product(item.times, rules[k]));
  }
  return calls;
}

std::string RankSequence::line(Part whole) const {
  struct Total {
    std::int64_t calls = 0;
    std::int64_t bytes = 0;
    std::int64_t empty = 0;
  };
  std::map<std::string, Total> totals;
  std::map<int, std::pair<std::int64_t, std::int64_t>> peers;
  SizeClasses message_sizes;
  SizeClasses collective_sizes;
  Json calls = Json::array();
  std::int64_t sequence_calls = 0;
  const std::vector<std::int64_t> times = executions(whole);
  for (std::size_t k = 0; k < calls_.size(); ++k) {
    const DistinctCall& call = calls_[k];
    Json fields = call.fields;
    fields["n"] = times[k];
    const double computed_s = call.computed_ns * 1e-9 * static_cast<double>(times[k]);
    fields["time_s"] = computed_s > 0 ? Json(computed_s) : Json(0);
    calls.push_back(std::move(fields));
    if (times[k] == 0) continue;
    sequence_calls = checked::sum(sequence_calls, times[k]);
    if (call.computed_ns > 0) continue;
    const std::int64_t bytes = call.fields.value("bytes", std::int64_t{0});
    Total& total = totals[call.fields["op"]];
    total.calls += times[k];
    total.bytes += checked::product(bytes, times[k]);
    if (call.follows_test) {
      totals["Testall"].calls += times[k];
      totals["Testall"].empty += times[k];
    }
    for (const auto& [to, message_bytes] : call.messages) {
      peers[to].first += times[k];
      peers[to].second += checked::product(message_bytes, times[k]);
      message_sizes.add(message_bytes, times[k]);
    }
    if (is_collective(call.fields)) collective_sizes.add(bytes, times[k]);
  }
  Json line{{"type", "rank"}, {"rank", rank_}, {"node", nullptr}, {"ended", "finalize"}, {"wall_s", 0}, {"threads", 1}};
  Json& list = line["totals"] = Json::array();
  for (const auto& [op, total] : totals) {
    list.push_back({{"op", op}, {"calls", total.calls}, {"time_s", 0}, {"bytes", total.bytes}, {"empty", total.empty}});
  }
  line["sizes"] = {{"p2p", message_sizes.counts()}, {"coll", collective_sizes.counts()}, {"io", Json::array()}};
  Json& messages = line["peers"] = Json::array();
  for (const auto& [to, sum] : peers) messages.push_back({to, sum.first, sum.second});
  line["comms"] = comms_;
  line["calls"] = std::move(calls);
  line["gaps"] = Json::array();
  Json& rules = line["rules"] = Json::array();
  rules.push_back(Json::array({{whole.symbol, 1}}));
  for (const std::vector<Item>& items : rules_) {
    Json& rule = rules.emplace_back(Json::array());
    for (const Item& item : items) rule.push_back({item.part.symbol, item.times});
  }
  line["sequence_calls"] = sequence_calls;
  line["lost"] = nullptr;
  return sealed(line);
}

}  // namespace stressbench::output
