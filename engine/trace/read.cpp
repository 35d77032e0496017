#include "trace/read.hpp"

#include <fmt/format.h>

#include <concepts>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/checked.hpp"
#include "core/error.hpp"
#include "core/input_limits.hpp"
#include "core/json_input.hpp"

namespace stressbench::trace {
namespace {

using Json = nlohmann::json;

// The JSON value as a T. Throws WrongValue for integers that do not fit, instead of truncating them.
template <class T>
T value_of(const Json& json) {
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    return whole_number<T>(json);
  } else {
    return json.get<T>();
  }
}
template <class T>
void put(const Json& json, T& value) {
  value = value_of<T>(json);
}
template <class T>
void put(const Json& json, std::optional<T>& value) {
  value = value_of<T>(json);
}
template <class T>
void put(const Json& json, std::vector<T>& values) {
  values.clear();
  for (const Json& item : json) values.push_back(value_of<T>(item));
}

template <class T>
void take(const Json& object, const char* key, T& value) {
  if (const auto found = object.find(key); found != object.end() && !found->is_null()) put(*found, value);
}

// The number of members before world rank `rank`, if it is one of the members. Throws WrongValue for members that are
// not ranks of the trace, or not as many as the communicator has ranks: a replay expands the list rank by rank.
std::optional<std::int64_t> checked_place(const Communicator& communicator, int rank, int ranks) {
  std::int64_t members = 0;
  std::optional<std::int64_t> place;
  for (const auto& [first, stride, count] : *communicator.members) {
    const std::int64_t last = first + std::int64_t{stride} * (std::int64_t{count} - 1);
    if (first < 0 || first >= ranks || last < 0 || last >= ranks || (count > 1 && stride == 0))
      throw WrongValue(fmt::format("members [{}, {}, {}] are not valid ranks", first, stride, count));
    const std::int64_t distance = std::int64_t{rank} - first;
    const std::int64_t steps = stride == 0 ? 0 : distance / stride;
    if (steps >= 0 && steps < count && steps * stride == distance) place = members + steps;
    members += count;
  }
  if (members != communicator.size)
    throw WrongValue(fmt::format("a communicator of {} ranks has {} members", communicator.size, members));
  return place;
}

// Throws WrongValue for communicators that cannot exist in a program of so many ranks, since a replay allocates buffers
// by their sizes and this rank's place in them. The first two are MPI_COMM_WORLD and MPI_COMM_SELF. For an
// intercommunicator `size` and `members` describe the other group.
void check_communicators(const RankRecord& record, int ranks) {
  for (std::size_t c = 0; c < record.comms.size(); ++c) {
    const Communicator& comm = record.comms[c];
    const auto refuse = [&](const std::string& expected) {
      throw WrongValue(fmt::format("communicator {} has {} ranks, of which this one is number {}; {}", c, comm.size,
                                   comm.rank, expected));
    };
    if (comm.size < 1 || comm.size > ranks) refuse(fmt::format("the trace has {}", ranks));
    if (comm.rank < 0 || (!comm.is_intercommunicator && comm.rank >= comm.size)) refuse("numbers begin with 0");
    if (c == 0 && (comm.size != ranks || comm.rank != record.rank))
      refuse(fmt::format("the first one has all {}, of which it is number {}", ranks, record.rank));
    if (c == 1 && comm.size != 1) refuse("the second one is MPI_COMM_SELF");
    if (!comm.members) continue;
    const auto place = checked_place(comm, record.rank, ranks);
    if (comm.is_intercommunicator || place == comm.rank) continue;
    refuse(place ? fmt::format("its members have it as number {}", *place) : "it is not among its members");
  }
}

Communicator communicator_of(const Json& json) {
  Communicator communicator{value_of<int>(json.at("size")), value_of<int>(json.at("rank")), false, {}};
  if (const auto inter = json.find("inter"); inter != json.end() && inter->is_boolean()) {
    communicator.is_intercommunicator = inter->get<bool>();
  }
  if (const auto members = json.find("members"); members != json.end() && !members->is_null()) {
    communicator.members.emplace();
    for (const Json& run : *members) {
      communicator.members->push_back(
          {value_of<int>(run.at(0)), value_of<int>(run.at(1)), whole_number<int>(run.at(2), 1)});
    }
  }
  return communicator;
}

// For receives with MPI_ANY_SOURCE or MPI_ANY_TAG: source and tag are missing in the trace if no message arrived.
void read_wildcards(const Json& json, Call& call) {
  const auto any = json.find("any");
  if (any == json.end()) return;
  const bool has_halves = call.op.starts_with("Sendrecv");
  if (*any != "tag" && !json.contains(has_halves ? "source" : "peer"))
    (has_halves ? call.source : call.peer) = Call::any_source;
  if (*any != "source" && !json.contains(has_halves ? "receive_tag" : "tag")) {
    (has_halves ? call.receive_tag : call.tag) = Call::any_tag;
  }
}

void check_slots(const Call& call) {
  const auto check = [&](std::string_view what, int slot) {
    if (slot < input_limits::max_trace_slots) return;
    throw WrongValue(
        fmt::format("{} {} of MPI_{}; at most {}", what, slot, call.op, input_limits::max_trace_slots - 1));
  };
  check("request", call.request);
  check("window", call.window);
  check("file", call.file);
  for (const int request : call.requests) check("request", request);
  for (const int request : call.done) check("request", request);
}

Call call_of(const Json& json) {
  Call call;
  json.at("op").get_to(call.op);
  take(json, "n", call.times);
  take(json, "comm", call.comm);
  take(json, "peer", call.peer);
  take(json, "tag", call.tag);
  read_wildcards(json, call);
  take(json, "bytes", call.bytes);
  take(json, "unit", call.unit);
  take(json, "type", call.type);
  take(json, "source", call.source);
  take(json, "receive_tag", call.receive_tag);
  take(json, "receive_bytes", call.receive_bytes);
  take(json, "reduction", call.reduction);
  take(json, "root", call.root);
  take(json, "in_place", call.in_place);
  take(json, "request", call.request);
  take(json, "requests", call.requests);
  take(json, "done", call.done);
  take(json, "inits", call.inits);
  take(json, "counts", call.counts);
  take(json, "receive_counts", call.receive_counts);
  take(json, "made", call.made);
  take(json, "colour", call.colour);
  take(json, "key", call.key);
  take(json, "dims", call.dims);
  take(json, "sources", call.sources);
  take(json, "destinations", call.destinations);
  take(json, "remain", call.remain);
  take(json, "file", call.file);
  take(json, "offset", call.offset);
  take(json, "whence", call.whence);
  take(json, "amode", call.amode);
  take(json, "filetype", call.filetype);
  take(json, "window", call.window);
  take(json, "size", call.size);
  take(json, "displacement", call.displacement);
  take(json, "lock", call.lock);
  take(json, "assertion", call.assertion);
  if (const auto periods = json.find("periods"); periods != json.end() && !periods->is_null()) {
    for (const Json& period : *periods) {
      call.periods.push_back(period.is_boolean() ? static_cast<int>(period.get<bool>()) : value_of<int>(period));
    }
  }
  check_slots(call);
  return call;
}

Gap gap_of(const Json& json) {
  Gap gap;
  put(json.at(0), gap.before);
  put(json.at(1), gap.after);
  put(json.at(2), gap.times);
  json.at(3).get_to(gap.sum_s);
  json.at(4).get_to(gap.min_s);
  json.at(5).get_to(gap.max_s);
  for (const Json& bucket : json.at(7)) {
    gap.buckets.emplace_back(value_of<int>(bucket.at(0)), value_of<std::int64_t>(bucket.at(1)));
  }
  return gap;
}

Rule rule_of(const Json& json) {
  Rule rule;
  rule.reserve(json.size());
  for (const Json& item : json)
    rule.push_back({value_of<std::int64_t>(item.at(0)), value_of<std::int64_t>(item.at(1))});
  return rule;
}

// Verifies the line's checksum, parses it and calls `read` on the JSON value. Errors are reported with file and line.
template <class Read>
auto with_json(const Position& position, std::string_view line, Read read) {
  verify(position, line);
  try {
    return read(parse_json<Json>(line));
  } catch (const Json::exception& wrong) {
    position.refuse(fmt::format("is not what docs/trace-format.md describes ({})", wrong.what()));
  } catch (const WrongValue& wrong) {
    position.refuse(fmt::format("is not what docs/trace-format.md describes ({})", wrong.what()));
  }
}

std::string type_of(const Json& json) { return json.is_object() ? json.value("type", std::string()) : std::string(); }

void refuse_partial(const Position& position, const Json& json) {
  const auto who = fmt::format("rank {}", value_of<int>(json.at("rank")));
  if (json.contains("streams")) {
    position.refuse(fmt::format(
        "{} called MPI from several threads; only programs that call MPI from one thread can be replayed", who));
  }
  if (const auto lost = json.find("lost"); lost != json.end() && lost->is_array()) {
    for (const Json& loss : *lost) {
      const std::string what = loss.value("what", std::string());
      if (what == "gaps") continue;
      position.refuse(fmt::format(
          "{}'s sequence is not whole: '{}' was given up after {} calls ({}); a shorter run would fit", who, what,
          loss.value("after_calls", std::int64_t{0}), loss.value("why", std::string("unknown reason"))));
    }
  }
  if (json.value("ended", std::string("finalize")) != "finalize") {
    position.refuse(fmt::format(
        "{} did not reach MPI_Finalize ('{}'); ranks that stop at different calls would wait for each other forever",
        who, json.at("ended").get<std::string>()));
  }
  if (const auto rules = json.find("rules"); rules == json.end() || !rules->is_array()) {
    position.refuse(fmt::format("{} has no sequence; `stressbench capture` writes one", who));
  }
}

void check_gap_times(const RankRecord& record) {
  if (record.gap_times_ns.size() > input_limits::max_trace_gap_times) {
    throw WrongValue(fmt::format("{} times before calls; at most {}", record.gap_times_ns.size(),
                                 input_limits::max_trace_gap_times));
  }
  if (std::ssize(record.gap_times_ns) > record.sequence_calls) {
    throw WrongValue(fmt::format("{} times before {} calls", record.gap_times_ns.size(), record.sequence_calls));
  }
  for (const std::int64_t time_ns : record.gap_times_ns) {
    if (time_ns < 0) throw WrongValue(fmt::format("a time of {} ns before a call", time_ns));
  }
}

RankRecord rank_of(const Json& json, int ranks) {
  RankRecord record;
  put(json.at("rank"), record.rank);
  take(json, "ended", record.ended);
  if (const auto peers = json.find("peers"); peers != json.end() && peers->is_array()) {
    for (const Json& peer : *peers) {
      record.messages = checked::sum(record.messages, value_of<std::int64_t>(peer.at(1)));
      record.message_bytes = checked::sum(record.message_bytes, value_of<std::int64_t>(peer.at(2)));
    }
  }
  for (const Json& communicator : json.at("comms")) record.comms.push_back(communicator_of(communicator));
  check_communicators(record, ranks);
  for (const Json& call : json.at("calls")) record.calls.push_back(call_of(call));
  if (const auto gaps = json.find("gaps"); gaps != json.end() && gaps->is_array()) {
    if (gaps->size() > input_limits::max_trace_gaps)
      throw WrongValue(fmt::format("{} gaps; at most {}", gaps->size(), input_limits::max_trace_gaps));
    for (const Json& gap : *gaps) record.gaps.push_back(gap_of(gap));
  }
  take(json, "tail_s", record.tail_s);
  take(json, "gap_times_ns", record.gap_times_ns);
  for (const Json& rule : json.at("rules")) record.rules.push_back(rule_of(rule));
  put(json.at("sequence_calls"), record.sequence_calls);
  check_gap_times(record);
  return record;
}

}  // namespace

Header read_header(const Position& position, std::string_view line) {
  if (!line.starts_with('{')) position.refuse("is not a trace file; `stressbench capture -o APP.trace` writes one");
  return with_json(position, line, [&](const Json& json) {
    if (type_of(json) != "header" || json.value("format", std::string()) != "stressbench-trace") {
      position.refuse("is not the header of a trace file; `stressbench capture -o APP.trace` writes one");
    }
    Header header;
    put(json.at("version"), header.version);
    if (header.version != supported_version) {
      position.refuse(
          fmt::format("version {} of the format; this program reads version {}", header.version, supported_version));
    }
    json.at("mode").get_to(header.mode);
    put(json.at("ranks"), header.ranks);
    take(json, "program", header.program);
    take(json, "timed", header.timed);
    if (header.mode != "capture") {
      position.refuse(
          fmt::format("mode '{}' holds statistics and no sequence; `stressbench capture` writes one", header.mode));
    }
    if (header.ranks < 1) position.refuse(fmt::format("{} ranks; at least 1", header.ranks));
    return header;
  });
}

RankRecord read_rank(const Position& position, std::string_view line, int rank, int ranks) {
  return with_json(position, line, [&](const Json& json) {
    if (type_of(json) != "rank") {
      position.refuse(fmt::format("'{}' instead of the line of rank {}; the trace lacks that rank: capture it again",
                                  type_of(json), rank));
    }
    if (value_of<int>(json.at("rank")) != rank) {
      position.refuse(fmt::format("rank {} instead of rank {}; the trace lacks that rank: capture it again",
                                  value_of<int>(json.at("rank")), rank));
    }
    refuse_partial(position, json);
    return rank_of(json, ranks);
  });
}

Header read_header(Lines& lines, int ranks) {
  const auto head = lines.next();
  if (!head) lines.position().refuse("is empty; `stressbench capture -o APP.trace` writes a trace file");
  const Header header = read_header(lines.position(), *head);
  if (header.ranks != ranks) {
    throw UserMistake("'{}' was captured on {} rank{}; this job has {}", lines.position().file, header.ranks,
                      header.ranks == 1 ? "" : "s", ranks);
  }
  return header;
}

std::string rank_line(Lines& lines, int rank) {
  auto line = lines.next();
  if (!line) {
    Position{lines.position().file, lines.position().line + 1}.refuse(
        fmt::format("the line of rank {} is missing; the file is truncated", rank));
  }
  return std::move(*line);
}

RankRecord read_rank(Lines& lines, int rank, int ranks) {
  const std::string line = rank_line(lines, rank);
  return read_rank(lines.position(), line, rank, ranks);
}

void read_tail(Lines& lines, int ranks) {
  for (bool first = true;; first = false) {
    const auto line = lines.next();
    if (!line) {
      Position{lines.position().file, lines.position().line + 1}.refuse(
          "the 'end' line is missing; the file is truncated");
    }
    const std::string type = with_json(lines.position(), *line, [](const Json& json) { return type_of(json); });
    if (type == "end") break;
    if (type != "symbols" || !first) {
      lines.position().refuse(
          fmt::format("'{}' after the lines of {} ranks; expected 'symbols' or 'end'", type, ranks));
    }
  }
  if (lines.next()) lines.position().refuse("there is more after the 'end' line; a file holds one trace");
}

Header header_of(const std::string& path) {
  Lines lines(path);
  const auto line = lines.next();
  if (!line) lines.position().refuse("is empty; `stressbench capture -o APP.trace` writes a trace file");
  return read_header(lines.position(), *line);
}

}  // namespace stressbench::trace
