#include "recording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "handles.hpp"
#include "line.hpp"
#include "operations.hpp"

namespace stressbench::trace {
namespace {

using nlohmann::json;
using testing::ElementsAre;

std::unique_ptr<Recording> started(Mode mode = Mode::capture) {
  auto recording = std::make_unique<Recording>();
  recording->start();
  recording->header.mode = mode;
  recording->header.end_state = EndState::finalize;
  recording->header.ranks = 2;
  return recording;
}

Key send(std::int64_t bytes) {
  Key key;
  key.op = static_cast<std::uint16_t>(Op::Send);
  key.comm = 0;
  key.peer = 1;
  key.tag = 5;
  key.bytes = bytes;
  return key;
}

json line_of(const Recording& recording) {
  const Recording* const threads[] = {&recording};
  return json::parse(rank_line(threads, false));
}

TEST(Recording, equal_calls_have_one_number_and_different_ones_two) {
  auto recording = started();
  const std::int64_t lists[] = {0, 1, 3};
  const std::int32_t first = recording->intern(send(8), {});
  EXPECT_EQ(recording->intern(send(8), {}), first);
  EXPECT_NE(recording->intern(send(16), {}), first);
  EXPECT_NE(recording->intern(send(8), lists), first);
}

TEST(Recording, too_many_different_calls_end_the_sequence_and_say_so) {
  auto recording = started();
  for (int k = 0; k < Recording::max_calls; ++k) ASSERT_GE(recording->intern(send(k), {}), 0);
  EXPECT_EQ(recording->intern(send(Recording::max_calls), {}), -1);
  const json line = line_of(*recording);
  EXPECT_TRUE(line["rules"].is_null());
  EXPECT_EQ(line["lost"][0]["what"], "sequence");
  EXPECT_EQ(line["lost"][1]["what"], "calls");
}

TEST(Recording, gaps_are_kept_by_the_pair_of_calls) {
  auto recording = started();
  const std::int32_t a = recording->intern(send(8), {});
  const std::int32_t b = recording->intern(send(16), {});
  recording->record(a, 1000, 10);
  recording->record(b, 2000, 20);
  recording->record(a, 3000, 10);
  recording->record(b, 4000, 20);
  const json gaps = line_of(*recording)["gaps"];
  ASSERT_EQ(gaps.size(), 3U);
  EXPECT_EQ(gaps[0][0], -1);
  EXPECT_EQ(gaps[1][0], a);
  EXPECT_EQ(gaps[1][1], b);
  EXPECT_EQ(gaps[1][2], 2);
  EXPECT_DOUBLE_EQ(gaps[1][3], 6e-6);
  EXPECT_DOUBLE_EQ(gaps[1][4], 2e-6);
  EXPECT_DOUBLE_EQ(gaps[1][5], 4e-6);
}

TEST(Recording, a_gap_s_bucket_is_half_an_octave) {
  EXPECT_EQ(Recording::gap_bucket(-5), 0);
  EXPECT_EQ(Recording::gap_bucket(63), 0);
  for (int k = 1; k < Gap::bucket_count - 2; ++k) {
    const double lower = 64 * std::exp2((k - 1) / 2.0);
    const double upper = 64 * std::exp2(k / 2.0);
    EXPECT_EQ(Recording::gap_bucket(static_cast<std::int64_t>(std::ceil(lower * (1 + 1e-6)))), k) << "above " << lower;
    EXPECT_EQ(Recording::gap_bucket(static_cast<std::int64_t>(upper * (1 - 2e-6)) - 1), k) << "below " << upper;
  }
}

TEST(Recording, time_is_spread_over_the_slices_that_a_call_lay_in) {
  auto recording = started();
  const std::int64_t slice = std::int64_t{1} << recording->slice_shift;
  recording->count(static_cast<int>(Op::Send), Class::p2p, slice / 2, slice, 8, false);
  EXPECT_EQ(recording->timeline[0][0], static_cast<std::uint64_t>(slice / 2));
  EXPECT_EQ(recording->timeline[1][0], static_cast<std::uint64_t>(slice / 2));
}

TEST(Recording, a_longer_run_makes_wider_slices_and_loses_no_time) {
  auto recording = started();
  std::uint64_t all = 0;
  for (std::int64_t begin = 0; begin < 100'000'000; begin += 1'000'000) {
    recording->count(static_cast<int>(Op::Barrier), Class::coll, begin, 300'000, 0, false);
    all += 300'000;
  }
  EXPECT_GT(recording->slice_shift, 16);
  std::uint64_t found = 0;
  for (const auto& slice : recording->timeline) found += slice[static_cast<int>(Class::coll)];
  EXPECT_EQ(found, all);
}

TEST(Recording, sizes_are_counted_by_powers_of_two) {
  EXPECT_EQ(Recording::size_class(0), 0);
  EXPECT_EQ(Recording::size_class(1), 1);
  EXPECT_EQ(Recording::size_class(2), 2);
  EXPECT_EQ(Recording::size_class(3), 2);
  EXPECT_EQ(Recording::size_class(1024), 11);
}

TEST(Recording, peers_beyond_the_table_are_counted_together) {
  auto recording = started();
  for (int k = 0; k < 20; ++k) recording->count_message_to(7 + k * Recording::max_peers, 10);
  const json peers = line_of(*recording)["peers"];
  EXPECT_THAT(peers[0], ElementsAre(-1, 4, 40));
  EXPECT_EQ(peers.size(), 17U);
}

// Three passes of a loop and one call more, with gaps, sizes and peers.
void record_loop(Recording& recording, std::int64_t bytes) {
  for (int k = 0; k < 7; ++k) {
    const std::int32_t call = recording.intern(send(bytes + k % 2), {});
    recording.count(static_cast<int>(Op::Send), Class::p2p, 1000 * k, 100, bytes, false);
    recording.count_size(0, bytes);
    recording.count_message_to(1, bytes);
    recording.record(call, 500 + k, 100);
  }
}

TEST(Recording, a_restarted_one_is_as_a_new_one) {
  auto used = started();
  for (std::int64_t k = 0; k < 300; ++k) record_loop(*used, 8 + 2 * (k % 17));
  used->count(static_cast<int>(Op::Barrier), Class::coll, 0, std::int64_t{1} << 40, 0, false);
  used->end_sequence(used->lost_sequence);
  used->restart();
  record_loop(*used, 64);

  auto fresh = started();
  record_loop(*fresh, 64);
  EXPECT_EQ(line_of(*used), line_of(*fresh));
}

TEST(Recording, a_restarted_one_keeps_its_sites) {
  auto recording = started();
  EXPECT_EQ(recording->add_site({100, 1, -1}, "app"), 0);
  recording->restart();
  EXPECT_EQ(recording->find_site(100), 0);
}

TEST(Line, ends_in_its_checksum) {
  const std::string line = end_line(3, true);
  EXPECT_EQ(line, "{\"type\":\"end\",\"ranks\":3,\"complete\":true,\"crc32\":\"" + line.substr(line.size() - 11, 8) +
                      "\"}\n");
  EXPECT_EQ(end_line(3, true), line);
  EXPECT_NE(end_line(4, true).substr(40), line.substr(40));
}

TEST(Line, one_that_was_cut_while_it_changed_has_no_sequence) {
  auto recording = started();
  recording->record(recording->intern(send(8), {}), 0, 1);
  recording->busy = 1;
  recording->header.end_state = EndState::running;
  const json line = line_of(*recording);
  EXPECT_TRUE(line["rules"].is_null());
  EXPECT_EQ(line["ended"], "killed");
  EXPECT_EQ(line["calls"].size(), 1U);
}

TEST(Line, pauses_are_no_part_of_the_wall_time) {
  auto recording = started();
  Header& header = recording->header;
  header.pause(500'000'000);
  header.resume(900'000'000);
  header.begin(1'000'000'000);  // what was before does not count
  header.pause(2'000'000'000);
  header.resume(5'000'000'000);
  header.resume(6'000'000'000);
  header.pause(7'000'000'000);
  header.resume(8'000'000'000);
  header.last_ns = 11'000'000'000;
  EXPECT_DOUBLE_EQ(line_of(*recording)["wall_s"], 6.0);
}

TEST(Line, a_rank_killed_in_the_first_call_after_a_pause_has_the_time_before_the_pause) {
  auto recording = started();
  Header& header = recording->header;
  header.end_state = EndState::running;
  header.begin(1'000'000'000);
  recording->count(static_cast<int>(Op::Send), Class::p2p, 1'500'000'000, 500'000'000, 8, false);
  header.pause(3'000'000'000);
  header.resume(8'000'000'000);
  EXPECT_DOUBLE_EQ(line_of(*recording)["wall_s"], 2.0);
}

TEST(Line, host_names_are_left_out_unless_asked_for) {
  auto recording = started();
  std::snprintf(recording->header.host, sizeof(recording->header.host), "secret");
  const Recording* const threads[] = {recording.get()};
  EXPECT_EQ(rank_line(threads, false).find("secret"), std::string::npos);
  EXPECT_NE(rank_line(threads, true).find("secret"), std::string::npos);
}

TEST(Slots, the_lowest_free_one_is_taken) {
  auto slots = std::make_unique<Slots<128>>();
  EXPECT_EQ(slots->add(1000), 0);
  EXPECT_EQ(slots->add(1001), 1);
  slots->release(0);
  EXPECT_EQ(slots->add(1002), 0);
  EXPECT_EQ(slots->find(1001), 1);
  EXPECT_EQ(slots->find(1000), Slots<128>::absent);
}

TEST(Slots, one_handle_for_several_is_found_oldest_first) {
  auto slots = std::make_unique<Slots<128>>();
  slots->add(5);
  slots->add(5);
  EXPECT_EQ(slots->find(5), 0);
  slots->hide(0);
  EXPECT_EQ(slots->find(5), 1);
  slots->show(0);
  slots->release(1);
  EXPECT_EQ(slots->find(5), 0);
}

TEST(Slots, a_full_table_says_so) {
  auto slots = std::make_unique<Slots<64>>();
  for (std::uint64_t k = 0; k < 64; ++k) EXPECT_EQ(slots->add(k + 1), static_cast<int>(k));
  EXPECT_EQ(slots->add(100), Slots<64>::absent);
}

}  // namespace
}  // namespace stressbench::trace
