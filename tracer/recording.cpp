#include "recording.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace stressbench::trace {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) noexcept {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 32U);
}

std::uint64_t hash_of(const Key& key, std::span<const std::int64_t> lists) noexcept {
  std::uint64_t words[sizeof(Key) / sizeof(std::uint64_t)];
  std::memcpy(words, &key, sizeof(Key));
  std::uint64_t hash = 1;
  for (const std::uint64_t word : words) hash = mix(hash, word);
  for (const std::int64_t word : lists) hash = mix(hash, static_cast<std::uint64_t>(word));
  return hash;
}

constexpr std::int32_t first_slice_shift = 16;  // 65.5 us

void record_loss(Loss& loss, std::uint64_t after_calls) noexcept {
  if (!loss.happened) loss = {after_calls, 1};
}

}  // namespace

void Recording::start() noexcept {
  header.magic = Header::expected_magic;
  header.size = sizeof(Recording);
  last_call = -1;
  slice_shift = first_slice_shift;
  grammar.start();
}

void Recording::restart() noexcept {
  const auto clear = [](auto& array) { std::memset(array, 0, sizeof(array)); };
  clear(totals);
  clear(sizes);
  clear(timeline);
  clear(call_table);
  clear(gap_table);
  clear(peers);
  std::memset(gaps, 0, static_cast<std::size_t>(gap_count) * sizeof(Gap));
  other_peers = {};
  call_count = 0;
  gap_count = 0;
  word_count = 0;
  gap_time_count = 0;
  lost_calls = lost_gaps = lost_sequence = lost_lists = lost_sender = {};
  last_call = -1;
  slice_shift = first_slice_shift;
  grammar.restart();
}

std::uint64_t Recording::total_calls() const noexcept {
  std::uint64_t sum = 0;
  for (const Total& total : totals) sum += total.calls;
  return sum;
}

bool Recording::matches(std::int32_t call, const Key& key, std::span<const std::int64_t> lists) const noexcept {
  return std::memcmp(&calls[call].key, &key, sizeof(Key)) == 0 &&
         std::equal(lists.begin(), lists.end(), words + calls[call].first_word);
}

// The call that followed the last call at its previous occurrence; -1: none.
std::int32_t Recording::predicted_call() const noexcept {
  if (last_call < 0 || calls[last_call].last_gap_plus_1 == 0) return -1;
  return gaps[calls[last_call].last_gap_plus_1 - 1].after;
}

std::int32_t Recording::intern(const Key& key, std::span<const std::int64_t> lists) noexcept {
  const std::int32_t guess = predicted_call();
  if (guess >= 0 && matches(guess, key, lists)) return guess;
  std::uint64_t place = hash_of(key, lists) % call_buckets;
  for (; call_table[place] != 0; place = (place + 1) % call_buckets) {
    const auto known = static_cast<std::int32_t>(call_table[place] - 1);
    if (matches(known, key, lists)) return known;
  }
  if (call_count == max_calls || word_count + lists.size() > max_words) {
    record_loss(lost_calls, total_calls());
    end_sequence(lost_sequence);
    return -1;
  }
  std::copy(lists.begin(), lists.end(), words + word_count);
  calls[call_count] = {key, word_count, 0, 0, UINT64_MAX, 0, 0};
  word_count += lists.size();
  call_table[place] = static_cast<std::uint32_t>(++call_count);
  return call_count - 1;
}

std::int32_t Recording::find_site(std::uint64_t address) const noexcept {
  for (std::uint64_t place = mix(1, address) % site_buckets; site_table[place] != 0;
       place = (place + 1) % site_buckets) {
    if (sites[site_table[place] - 1].address == address) return static_cast<std::int32_t>(site_table[place] - 1);
  }
  return -1;
}

std::int32_t Recording::add_site(const Site& site, const char* module) noexcept {
  if (site_count == max_sites) return max_sites - 1;
  int number = 0;
  while (number < module_count && std::strcmp(modules[number], module) != 0) ++number;
  if (number == module_count && number < max_modules) {
    std::strncpy(modules[number], module, sizeof(modules[number]) - 1);
    ++module_count;
  }
  sites[site_count] = site;
  sites[site_count].module = number < max_modules ? number : -1;
  std::uint64_t place = mix(1, site.address) % site_buckets;
  while (site_table[place] != 0) place = (place + 1) % site_buckets;
  site_table[place] = static_cast<std::uint32_t>(++site_count);
  return site_count - 1;
}

void Recording::end_sequence(Loss& loss) noexcept { record_loss(loss, total_calls()); }

void Recording::record(std::int32_t number, std::int64_t gap_ns, std::int64_t time_ns) noexcept {
  CallRecord& call = calls[number];
  const auto time = static_cast<std::uint64_t>(time_ns);
  ++call.calls;
  call.time_ns += time;
  call.shortest_ns = std::min(call.shortest_ns, time);
  call.longest_ns = std::max(call.longest_ns, time);
  if (header.mode != Mode::capture) return;
  record_gap(last_call, number, gap_ns);
  last_call = number;
  if (lost_sequence.happened) return;
  if (header.with_gap_times != 0 && gap_time_count < max_gap_times)
    gap_times_ns[gap_time_count++] = static_cast<float>(gap_ns);
  grammar.append(static_cast<Grammar::Index>(number));
  if (grammar.full()) end_sequence(lost_sequence);
}

int Recording::gap_bucket(std::int64_t ns) noexcept {
  if (ns < 64) return 0;
  const auto value = static_cast<std::uint64_t>(ns);
  const int octave = static_cast<int>(std::bit_width(value)) - 7;  // 0 for [64, 128)
  // The upper half of an octave begins at 2^(1/2): value^2 >= 2^13 * 4^octave, in 27 bits so that the square fits.
  const int shift = std::max(0, octave - 20);
  const std::uint64_t scaled = value >> static_cast<unsigned>(shift);
  const bool upper = scaled * scaled >= (std::uint64_t{1} << static_cast<unsigned>(13 + 2 * (octave - shift)));
  return std::min(1 + 2 * octave + (upper ? 1 : 0), Gap::bucket_count - 1);
}

// The gap between two calls, which is added if it is new. Null if there is no room for it.
Gap* Recording::gap_between(std::int32_t before, std::int32_t after) noexcept {
  const std::int32_t guess = before < 0 ? 0 : calls[before].last_gap_plus_1;
  if (guess > 0 && gaps[guess - 1].after == after) return &gaps[guess - 1];
  std::uint64_t place = mix(static_cast<std::uint64_t>(before + 1), static_cast<std::uint64_t>(after)) % gap_buckets;
  for (; gap_table[place] != 0; place = (place + 1) % gap_buckets) {
    const Gap& gap = gaps[gap_table[place] - 1];
    if (gap.before == before && gap.after == after) break;
  }
  if (gap_table[place] == 0) {
    if (gap_count == max_gaps) return nullptr;
    Gap& new_gap = gaps[gap_count];
    new_gap.before = before;
    new_gap.after = after;
    new_gap.shortest_ns = UINT64_MAX;
    gap_table[place] = static_cast<std::uint32_t>(++gap_count);
  }
  if (before >= 0) calls[before].last_gap_plus_1 = static_cast<std::int32_t>(gap_table[place]);
  return &gaps[gap_table[place] - 1];
}

void Recording::record_gap(std::int32_t before, std::int32_t after, std::int64_t ns) noexcept {
  Gap* const found = gap_between(before, after);
  if (found == nullptr) return record_loss(lost_gaps, total_calls());
  Gap& gap = *found;
  const auto time = static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0));
  ++gap.times;
  gap.sum_ns += time;
  gap.shortest_ns = std::min(gap.shortest_ns, time);
  gap.longest_ns = std::max(gap.longest_ns, time);
  const double seconds = static_cast<double>(time) * 1e-9;
  gap.squares += seconds * seconds;
  ++gap.buckets[gap_bucket(ns)];
}

int Recording::size_class(std::int64_t bytes) noexcept {
  return bytes <= 0 ? 0
                    : std::min(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes))), size_classes - 1);
}

void Recording::count(int op, Class kind, std::int64_t begin_ns, std::int64_t time_ns, std::int64_t bytes,
                      bool has_no_result) noexcept {
  Total& total = totals[op];
  const auto time = static_cast<std::uint64_t>(time_ns);
  ++total.calls;
  total.empty += has_no_result ? 1 : 0;
  total.time_ns += time;
  total.longest_ns = std::max(total.longest_ns, time);
  total.bytes += static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0));
  add_to_timeline(kind, begin_ns - header.began_ns, time_ns);
  header.last_ns = begin_ns + time_ns;
}

// Adds the call's time to the slices of the timeline that it overlaps.
void Recording::add_to_timeline(Class kind, std::int64_t begin_ns, std::int64_t time_ns) noexcept {
  std::int64_t begin = std::max<std::int64_t>(begin_ns, 0);
  const std::int64_t end = begin + time_ns;
  while ((end >> slice_shift) >= slices) {
    for (int k = 0; k < slices / 2; ++k) {
      for (int c = 0; c < class_count; ++c) timeline[k][c] = timeline[2 * k][c] + timeline[2 * k + 1][c];
    }
    std::memset(timeline[slices / 2], 0, sizeof(timeline) / 2);
    ++slice_shift;
  }
  while (begin < end) {
    const std::int64_t slice = begin >> slice_shift;
    const std::int64_t until = std::min(end, (slice + 1) << slice_shift);
    timeline[slice][static_cast<int>(kind)] += static_cast<std::uint64_t>(until - begin);
    begin = until;
  }
}

void Recording::count_message_to(int world_rank, std::int64_t bytes) noexcept {
  const std::int64_t wanted = std::int64_t{world_rank} + 1;
  Peer* peer = &other_peers;
  for (int probe = 0; probe < 16; ++probe) {
    Peer& candidate = peers[(world_rank + probe) % max_peers];
    if (candidate.rank_plus_1 != 0 && candidate.rank_plus_1 != wanted) continue;
    candidate.rank_plus_1 = wanted;
    peer = &candidate;
    break;
  }
  ++peer->messages;
  peer->bytes += static_cast<std::uint64_t>(bytes);
}

}  // namespace stressbench::trace
