#include "line.hpp"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

#include "names.hpp"
#include "operations.hpp"

namespace stressbench::trace {
namespace {

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t n = 0; n < 256; ++n) {
    std::uint32_t c = n;
    for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0xEDB88320U ^ (c >> 1U) : c >> 1U;
    table[n] = c;
  }
  return table;
}

std::uint32_t crc32(const std::string& text) {
  static constexpr auto table = make_crc_table();
  std::uint32_t c = ~0U;
  for (const char byte : text) c = table[(c ^ static_cast<unsigned char>(byte)) & 0xFFU] ^ (c >> 8U);
  return ~c;
}

__attribute__((format(printf, 2, 3))) void add(std::string& text, const char* format, ...) {
  char buffer[512];
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(buffer, sizeof(buffer), format, arguments);
  va_end(arguments);
  text.append(buffer, static_cast<std::size_t>(std::clamp<int>(length, 0, sizeof(buffer) - 1)));
}

void add_string(std::string& text, const char* value) {
  text += '"';
  for (; *value != 0; ++value) {
    const auto byte = static_cast<unsigned char>(*value);
    if (byte == '"' || byte == '\\') {
      text += '\\';
      text += *value;
    } else if (byte < 0x20 || byte >= 0x7F) {
      add(text, "\\u%04x", byte);
    } else {
      text += *value;
    }
  }
  text += '"';
}

double seconds(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

std::string with_checksum(std::string text) {  // `text` is the object without its checksum
  const std::uint32_t checksum = crc32(text);
  add(text, ",\"crc32\":\"%08" PRIx32 "\"}\n", checksum);
  return text;
}

// Appends the items as a JSON array.
template <class Items, class Write>
void add_list(std::string& text, const Items& items, Write write) {
  text += '[';
  bool first = true;
  for (const auto& item : items) {
    if (!first) text += ',';
    first = false;
    write(item);
  }
  text += ']';
}

const char* list_name(List list) {
  static constexpr const char* names[] = {"requests", "done",      "inits",        "counts",       "receive_counts",
                                          "dims",     "periods",   "sources",      "destinations", "remain",
                                          "filetype", "assertion", "colour",       "key",          "offset",
                                          "amode",    "size",      "displacement", "whence",       "lock"};
  return names[static_cast<int>(list)];
}

void add_lists(std::string& text, const Recording& recording, const CallRecord& call) {
  const std::int64_t* word = recording.words + call.first_word;
  const std::int64_t* const end = word + call.key.words;
  while (word < end) {
    const auto list = static_cast<List>(word[0]);
    const std::span<const std::int64_t> values{word + 2, static_cast<std::size_t>(word[1])};
    word += 2 + word[1];
    add(text, ",\"%s\":", list_name(list));
    if (list == List::whence) {
      static constexpr const char* whences[] = {"SET", "CUR", "END"};
      add(text, "\"%s\"", whences[values[0]]);
    } else if (list == List::lock) {
      text += values[0] == 1 ? "\"exclusive\"" : "\"shared\"";
    } else if (list == List::assertion) {
      add_list(text, values, [&](std::int64_t value) { add(text, "\"%s\"", assertion_names[value]); });
    } else if (list >= List::colour) {
      add(text, "%" PRId64, values[0]);
    } else {
      add_list(text, values, [&](std::int64_t value) { add(text, "%" PRId64, value); });
    }
  }
}

void add_call(std::string& text, const Recording& recording, const CallRecord& call) {
  const Key& key = call.key;
  const Operation& op = operation(key.op);
  add(text, "{\"op\":\"%s\",\"site\":%u,\"n\":%" PRIu64 ",\"time_s\":%.9g,\"min_s\":%.9g,\"max_s\":%.9g", op.name,
      key.site, call.calls, seconds(call.time_ns), seconds(call.calls > 0 ? call.shortest_ns : 0),
      seconds(call.longest_ns));
  const auto number = [&](const char* name, std::int64_t value, std::int64_t absent) {
    if (value != absent) add(text, ",\"%s\":%" PRId64, name, value);
  };
  number("comm", key.comm, unset);
  number("peer", key.peer, unset);
  if ((key.wildcards & any_tag) == 0 || key.tag >= 0) number("tag", key.tag, unset);
  if (key.wildcards != 0)
    add(text, ",\"any\":\"%s\"", key.wildcards == any_source ? "source" : key.wildcards == any_tag ? "tag" : "both");
  number("bytes", key.bytes, -1);
  number("unit", key.unit, unset);
  if (key.type >= 0) add(text, ",\"type\":\"%s\"", type_names[key.type]);
  number("source", key.source, unset);
  number("receive_tag", key.receive_tag, unset);
  number("receive_bytes", key.receive_bytes, -1);
  if (key.reduction >= 0) add(text, ",\"reduction\":\"%s\"", reduction_names[key.reduction]);
  if (key.reduction == -2) text += ",\"reduction\":\"USER\"";
  number("root", key.root, unset);
  if (key.in_place != 0) text += ",\"in_place\":true";
  number("request", key.request, unset);
  if (key.new_comm == -1) {
    text += ",\"made\":null";
  } else {
    number("made", key.new_comm, unset);
  }
  if (key.object != unset) number(op.kind == Class::io ? "file" : "window", key.object, unset);
  add_lists(text, recording, call);
  text += '}';
}

void add_gap(std::string& text, const Gap& gap) {
  add(text, "[%d,%d,%" PRIu64 ",%.9g,%.9g,%.9g,%.9g,[", gap.before, gap.after, gap.times, seconds(gap.sum_ns),
      seconds(gap.shortest_ns), seconds(gap.longest_ns), gap.squares);
  bool first = true;
  for (int k = 0; k < Gap::bucket_count; ++k) {
    if (gap.buckets[k] == 0) continue;
    add(text, first ? "[%d,%u]" : ",[%d,%u]", k, gap.buckets[k]);
    first = false;
  }
  text += "]]";
}

// Appends the calls, gaps, sequence and losses of one thread.
void add_stream(std::string& text, const Recording& recording) {
  text += "\"calls\":";
  add_list(text, std::span(recording.calls, static_cast<std::size_t>(recording.call_count)),
           [&](const CallRecord& call) { add_call(text, recording, call); });
  const bool capture = recording.header.mode == Mode::capture;
  const bool was_interrupted =
      recording.busy != 0;  // killed during a change of the sequence, which may be inconsistent
  const bool has_sequence = capture && recording.lost_sequence.happened == 0 && !was_interrupted;
  text += ",\"gaps\":";
  if (has_sequence) {
    add_list(text, std::span(recording.gaps, static_cast<std::size_t>(recording.gap_count)),
             [&](const Gap& gap) { add_gap(text, gap); });
  } else {
    text += "null";
  }
  if (has_sequence && recording.header.end_state == EndState::finalize) {
    add(text, ",\"tail_s\":%.9g", static_cast<double>(recording.header.tail_ns) * 1e-9);
  }
  if (has_sequence && recording.gap_time_count > 0) {
    text += ",\"gap_times_ns\":";
    add_list(text, std::span(recording.gap_times_ns, recording.gap_time_count),
             [&](float time_ns) { add(text, "%" PRId64, static_cast<std::int64_t>(std::max(time_ns, 0.0F))); });
  }
  text += ",\"rules\":";
  if (has_sequence) {
    std::string rules = "[";
    recording.grammar.list([&] { rules += rules.size() == 1 ? "[" : "],["; },
                           [&](std::int64_t symbol, std::uint32_t times) {
                             if (rules.back() == ']') rules += ',';
                             add(rules, "[%" PRId64 ",%u]", symbol, times);
                           });
    text += rules + "]]";
  } else {
    text += "null";
  }
  add(text, ",\"sequence_calls\":%" PRIu64 ",\"lost\":", has_sequence ? recording.grammar.length() : 0);
  std::string losses;
  const auto lost = [&](const Loss& loss, const char* what, const char* why) {
    if (loss.happened == 0) return;
    add(losses, "%s{\"what\":\"%s\",\"after_calls\":%" PRIu64 ",\"why\":\"%s\"}", losses.empty() ? "" : ",", what,
        loss.after_calls, why);
  };
  if (capture) lost(recording.lost_sequence, "sequence", "calls repeat too little to be kept in order");
  if (capture && was_interrupted)
    lost({recording.total_calls(), 1}, "sequence", "the rank was killed while the sequence was being written");
  lost(recording.lost_calls, "calls", "too many different calls");
  lost(recording.lost_gaps, "gaps", "too many different pairs of calls");
  lost(recording.lost_lists, "lists", "a call has more requests or counts than are kept");
  lost(recording.lost_sender, "sender", "too many receives from any source wait at a time");
  text += losses.empty() ? "null" : "[" + losses + "]";
}

void add_totals(std::string& text, std::span<const Recording* const> threads) {
  text += "\"totals\":[";
  bool first = true;
  for (int op = 0; op < static_cast<int>(Op::count); ++op) {
    Total sum{};
    for (const Recording* thread : threads) {
      const Total& total = thread->totals[op];
      sum.calls += total.calls;
      sum.empty += total.empty;
      sum.time_ns += total.time_ns;
      sum.bytes += total.bytes;
      sum.longest_ns = std::max(sum.longest_ns, total.longest_ns);
    }
    if (sum.calls == 0) continue;
    add(text,
        "%s{\"op\":\"%s\",\"calls\":%" PRIu64 ",\"time_s\":%.9g,\"bytes\":%" PRIu64 ",\"max_s\":%.9g,\"empty\":%" PRIu64
        "}",
        first ? "" : ",", operations[op].name, sum.calls, seconds(sum.time_ns), sum.bytes, seconds(sum.longest_ns),
        sum.empty);
    first = false;
  }
  text += ']';
}

// Appends the object counts if the program reached MPI_Finalize, since objects may be released until then.
void add_objects(std::string& text, const Recording& recording) {
  if (recording.header.end_state != EndState::finalize) return;
  text += ",\"objects\":[";
  for (int kind = 0; kind < object_kinds; ++kind) {
    const ObjectCount& objects = recording.objects[kind];
    add(text, "%s{\"kind\":\"%s\",\"made\":%" PRIu64 ",\"released\":%" PRIu64 "}", kind == 0 ? "" : ",",
        object_names[kind], objects.created, objects.released);
  }
  text += ']';
}

void add_sizes(std::string& text, std::span<const Recording* const> threads) {
  static constexpr const char* names[] = {"p2p", "coll", "io"};
  text += ",\"sizes\":{";
  for (int kind = 0; kind < 3; ++kind) {
    std::vector<std::uint64_t> sums(Recording::size_classes);
    for (const Recording* thread : threads) {
      for (int k = 0; k < Recording::size_classes; ++k) sums[static_cast<std::size_t>(k)] += thread->sizes[kind][k];
    }
    while (!sums.empty() && sums.back() == 0) sums.pop_back();
    add(text, "%s\"%s\":", kind == 0 ? "" : ",", names[kind]);
    add_list(text, sums, [&](std::uint64_t n) { add(text, "%" PRIu64, n); });
  }
  text += '}';
}

void add_peers(std::string& text, std::span<const Recording* const> threads) {
  std::map<std::int64_t, std::pair<std::uint64_t, std::uint64_t>> sums;
  const auto sum = [&](std::int64_t rank, const Peer& peer) {
    if (peer.messages == 0) return;
    sums[rank].first += peer.messages;
    sums[rank].second += peer.bytes;
  };
  for (const Recording* thread : threads) {
    for (const Peer& peer : thread->peers) sum(peer.rank_plus_1 - 1, peer);
    sum(-1, thread->other_peers);
  }
  text += ",\"peers\":";
  add_list(text, sums, [&](const auto& entry) {
    add(text, "[%" PRId64 ",%" PRIu64 ",%" PRIu64 "]", entry.first, entry.second.first, entry.second.second);
  });
}

void add_timeline(std::string& text, std::span<const Recording* const> threads) {
  int shift = 0;
  for (const Recording* thread : threads) shift = std::max(shift, thread->slice_shift);
  std::vector<std::array<std::uint64_t, class_count>> slices(Recording::slices);
  for (const Recording* thread : threads) {
    for (int k = 0; k < Recording::slices; ++k) {
      for (std::size_t c = 0; c < class_count; ++c) {
        slices[static_cast<std::size_t>(k >> (shift - thread->slice_shift))][c] += thread->timeline[k][c];
      }
    }
  }
  const Header& header = threads.front()->header;
  const auto used = static_cast<std::size_t>(((header.last_ns - header.began_ns) >> shift) + 1);
  slices.resize(std::min(used, slices.size()));
  add(text, ",\"timeline\":{\"width_s\":%.9g", seconds(std::uint64_t{1} << static_cast<unsigned>(shift)));
  for (std::size_t c = 0; c < class_count; ++c) {
    add(text, ",\"%s\":", class_names[c]);
    add_list(text, slices, [&](const auto& slice) { add(text, "%.6g", seconds(slice[c])); });
  }
  text += '}';
}

void add_communicators(std::string& text, const Recording& recording) {
  text += ",\"comms\":";
  add_list(text, std::span(recording.communicators, static_cast<std::size_t>(recording.communicator_count)),
           [&](const Communicator& comm) {
             add(text, "{\"slot\":%d,\"size\":%d,\"rank\":%d,\"inter\":%s,\"members\":", comm.slot, comm.size,
                 comm.rank, comm.inter != 0 ? "true" : "false");
             if (comm.runs < 0) {
               text += "null";
             } else {
               add_list(
                   text, std::span(comm.members, static_cast<std::size_t>(comm.runs)),
                   [&](const Communicator::Run& run) { add(text, "[%d,%d,%d]", run.first, run.stride, run.count); });
             }
             text += '}';
           });
}

void add_sites(std::string& text, const Recording& recording) {
  text += ",\"modules\":";
  add_list(text, std::span(recording.modules, static_cast<std::size_t>(recording.module_count)),
           [&](const auto& name) { add_string(text, name); });
  text += ",\"sites\":";
  add_list(text, std::span(recording.sites, static_cast<std::size_t>(recording.site_count)),
           [&](const Site& site) { add(text, "[%d,%" PRIu64 "]", site.module, site.offset); });
}

}  // namespace

std::string header_line(const Header& header, FileSummary summary) {
  std::string text = R"({"type":"header","format":"stressbench-trace","version":1)";
  add(text, ",\"mode\":\"%s\",\"ranks\":%d,\"program\":", header.mode == Mode::capture ? "capture" : "profile",
      summary.ranks);
  add_string(text, header.program);
  text += ",\"library\":";
  add_string(text, header.library);
  text += ",\"started\":";
  add_string(text, header.started);
  add(text, ",\"clock_s\":%.3g,\"hosts\":", header.clock_s);
  if (summary.hosts < 0) {
    text += "null";
  } else {
    add(text, "%d", summary.hosts);
  }
  if (header.gaps_are_cpu_time != 0) text += R"(,"gap_clock":"cpu")";
  return with_checksum(std::move(text));
}

std::string rank_line(std::span<const Recording* const> threads, bool with_host) {
  const Recording& first = *threads.front();
  const Header& header = first.header;
  std::string text;
  add(text, "{\"type\":\"rank\",\"rank\":%d,\"node\":", header.rank);
  if (header.node < 0) {
    text += "null";
  } else {
    add(text, "%d", header.node);
  }
  if (with_host) {
    text += ",\"host\":";
    add_string(text, header.host);
  }
  static constexpr const char* endings[] = {"killed", "finalize", "abort"};
  std::int64_t last_ns = header.last_ns;
  for (const Recording* thread : threads) last_ns = std::max(last_ns, thread->header.last_ns);
  add(text, ",\"ended\":\"%s\",\"wall_s\":%.9g,\"threads\":%zu,", endings[static_cast<int>(header.end_state)],
      static_cast<double>(std::max<std::int64_t>(last_ns - header.began_ns - header.paused_ns, 0)) * 1e-9,
      threads.size());
  if (header.with_working_set != 0) {
    if (header.working_set_bytes < 0) {
      text += R"("working_set_bytes":null,)";
    } else {
      add(text, "\"working_set_bytes\":%" PRId64 ",", header.working_set_bytes);
    }
  }
  add_totals(text, threads);
  add_objects(text, first);
  add_sizes(text, threads);
  add_peers(text, threads);
  add_timeline(text, threads);
  add_communicators(text, first);
  add_sites(text, first);
  text += ',';
  add_stream(text, first);
  if (threads.size() > 1) {
    text += ",\"streams\":";
    add_list(text, threads, [&](const Recording* thread) {
      text += '{';
      add_stream(text, *thread);
      text += '}';
    });
  }
  return with_checksum(std::move(text));
}

std::string end_line(int ranks, bool complete) {
  std::string text;
  add(text, "{\"type\":\"end\",\"ranks\":%d,\"complete\":%s", ranks, complete ? "true" : "false");
  return with_checksum(std::move(text));
}

}  // namespace stressbench::trace
