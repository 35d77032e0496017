// Trace files for tests: the calls of a program as values, and the file as text (docs/trace-format.md).
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "trace/line.hpp"

namespace stressbench::test {

using Json = nlohmann::ordered_json;

// A line of a trace file, with its checksum.
inline std::string sealed(const Json& object) {
  std::string text = object.dump();
  text.pop_back();
  return text + fmt::format(",\"crc32\":\"{:08x}\"}}\n", trace::checksum(text));
}

inline Json header_of(int ranks) {
  return {{"type", "header"},   {"format", "stressbench-trace"},
          {"version", 1},       {"mode", "capture"},
          {"ranks", ranks},     {"program", "synthetic"},
          {"library", "none"},  {"started", "2026-01-01T00:00:00Z"},
          {"clock_s", 0.00002}, {"hosts", 1}};
}
inline Json end_of(int ranks) { return {{"type", "end"}, {"ranks", ranks}, {"complete", true}}; }

// One rank's part of a program: distinct calls, and rules of {symbol, times} over them.
struct Part {
  Json calls = Json::array();
  Json rules = Json::array();
  std::int64_t length = 0;
  Json gaps = Json::array();
  double tail_s = 0;
  std::vector<std::int64_t> gap_times_ns;
  Json comms = Json::array();  // besides MPI_COMM_WORLD and MPI_COMM_SELF
  Json peers = Json::array();

  // Each call once, in order.
  static Part once(const std::vector<Json>& calls) { return loop({}, calls, 1); }
  // `before` once, then `body` `times` times.
  static Part loop(const std::vector<Json>& before, const std::vector<Json>& body, std::int64_t times) {
    Part part;
    Json whole = Json::array();
    Json inner = Json::array();
    for (const Json& call : before) part.add(call, whole);
    for (const Json& call : body) part.add(call, inner);
    whole.push_back({-1, times});
    part.rules = Json::array({whole, inner});
    part.length = static_cast<std::int64_t>(before.size()) + static_cast<std::int64_t>(body.size()) * times;
    for (const Json& call : before) part.count(call, 1);
    for (const Json& call : body) part.count(call, times);
    return part;
  }

  Json line(int rank, int ranks) const {
    Json all =
        Json::array({{{"slot", 0}, {"size", ranks}, {"rank", rank}, {"members", {{0, 1, ranks}}}, {"inter", false}},
                     {{"slot", 1}, {"size", 1}, {"rank", 0}, {"members", {{rank, 1, 1}}}, {"inter", false}}});
    for (const Json& comm : comms) all.push_back(comm);
    Json line{{"type", "rank"}, {"rank", rank}, {"ended", "finalize"}, {"peers", peers}, {"comms", all},
              {"calls", calls}, {"gaps", gaps}, {"tail_s", tail_s},    {"rules", rules}, {"sequence_calls", length},
              {"lost", nullptr}};
    if (!gap_times_ns.empty()) line["gap_times_ns"] = gap_times_ns;
    return line;
  }

 private:
  void add(const Json& call, Json& rule) {
    for (std::size_t c = 0; c < calls.size(); ++c) {
      Json known = calls[c];
      known.erase("n");
      if (known == call) return rule.push_back({c, 1});
    }
    rule.push_back({calls.size(), 1});
    calls.push_back(call);
    calls.back()["n"] = 0;
  }
  void count(const Json& call, std::int64_t times) {
    for (Json& known : calls) {
      Json bare = known;
      bare.erase("n");
      if (bare == call) known["n"] = known["n"].get<std::int64_t>() + times;
    }
  }
};

inline std::string trace_text(const std::vector<Part>& parts) {
  const auto ranks = static_cast<int>(parts.size());
  std::string text = sealed(header_of(ranks));
  for (int r = 0; r < ranks; ++r) text += sealed(parts[static_cast<std::size_t>(r)].line(r, ranks));
  return text + sealed(end_of(ranks));
}

// Calls, as the tracer writes them.
inline Json to(const char* op, int peer, int tag, int bytes) {
  return {{"op", op}, {"comm", 0}, {"peer", peer}, {"tag", tag}, {"bytes", bytes}, {"unit", 8}, {"type", "DOUBLE"}};
}
inline Json to(const char* op, int peer, int tag, int bytes, int request) {
  Json call = to(op, peer, tag, bytes);
  call["request"] = request;
  return call;
}
inline Json on(const char* op, const std::vector<int>& requests) { return {{"op", op}, {"requests", requests}}; }
inline Json some(const char* op, const std::vector<int>& requests, const std::vector<int>& done) {
  return {{"op", op}, {"requests", requests}, {"done", done}};
}
inline Json collective(const char* op, int bytes, int comm = 0) {
  return {{"op", op}, {"comm", comm}, {"bytes", bytes}, {"unit", 8}, {"type", "DOUBLE"}};
}
inline Json reduction(const char* op, int bytes, const char* how = "SUM") {
  Json call = collective(op, bytes);
  call["reduction"] = how;
  return call;
}
inline Json with(Json call, const char* key, const Json& value) {
  call[key] = value;
  return call;
}

}  // namespace stressbench::test
