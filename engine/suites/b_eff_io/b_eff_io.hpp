// b_eff_io: the effective bandwidth of a machine's file system as one number (Rabenseifner and Koniges, section 5;
// docs/motifs/b_eff_io.md).
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/permutation.hpp"
#include "io/appended_file.hpp"
#include "io/hints.hpp"
#include "io/layout.hpp"
#include "io/owned_files.hpp"
#include "motifs/motif.hpp"
#include "suites/b_eff_io/file_contents.hpp"
#include "suites/b_eff_io/io_file.hpp"
#include "suites/b_eff_io/io_protocol.hpp"
#include "suites/b_eff_io/io_rule.hpp"
#include "suites/b_eff_io/partition.hpp"
#include "suites/b_eff_io/pattern_hint.hpp"
#include "suites/memory_share.hpp"
#include "suites/protocol.hpp"

namespace stressbench::beff {

inline constexpr std::int64_t io_definition_s = 15 * 60;

struct ValidRelease {
  static constexpr std::string_view words = "1 or 2";
  static bool holds(std::int64_t v) noexcept { return v == 1 || v == 2; }
};

class BEffIo final : public Motif {
 public:
  void check(int ranks) const override;
  Traffic traffic(int ranks) const override;
  std::string quantity() const override { return "time of the benchmark"; }

  void bind(const RunContext& context) override { run_ = {context.run_id, context.launch}; }
  void decompose(const mpi::Group& group, const Draw& draws) override;
  void prepare(std::uint64_t execution) override;
  void perform(Recorder& recorder) override;
  void reduce_metrics() override;
  std::span<Metric* const> measured() const override {
    const auto all = metrics();
    return complete() ? all : all.last(1);
  }

  void fill_payload(std::uint64_t pass) override {
    contents_.fill(pass);
    contents_.check_all_bytes();
  }
  void verify(std::uint64_t) const override {
    if (contents_.fault()) throw MachineFault(*contents_.fault());
    if (!contents_.has_read()) throw MachineFault("b_eff_io: nothing was read since buffers were filled");
  }

  void finish(const mpi::Group& group, int) override {
    if (!owned_) return;
    for (std::string& text : owned_->notes()) notes_.push_back(std::move(text));
    owned_->release(group);
  }
  std::vector<std::string> notes() const override;

 private:
  // One pass over a pattern: its settings, and this rank's results.
  struct PatternRun {
    const IoPattern* pattern = nullptr;
    FileRegion* region = nullptr;
    IoAccess access = IoAccess::write;
    double budget_s = 0;
    std::int64_t max_calls = 0;        // calls for which there is room, or whose data was written
    std::optional<Permutation> order;  // of the calls; none: as they were written
    IoResult result;
  };

  std::vector<PartitionChoice> partition_choices(int ranks) const {
    if (partitions_.was_given()) return *partitions_;
    std::vector<PartitionChoice> choices;
    for (int size = ranks; size >= 1 && choices.size() < (*release_ == 2 ? 3U : 1U); size /= 2)
      choices.push_back({.first = size});
    return choices;
  }
  // Removes the files that were written before.
  void remove_files() const;
  bool includes(IoType type) const { return std::ranges::find(*types_, std::int64_t{index_of(type)}) != types_->end(); }
  bool complete() const {
    for (int type = 0; type < io_types; ++type) {
      if (!includes(static_cast<IoType>(type))) return false;
    }
    return true;
  }
  // Release 2.0 rewrites with the scattering type only.
  bool measures(IoAccess access, IoType type) const {
    return includes(type) && !(*release_ == 2 && access == IoAccess::rewrite && type != IoType::scatter);
  }
  int units_of(IoAccess access) const {
    int units = 0;
    for (const IoPattern& pattern : patterns_) units += measures(access, pattern.type) ? pattern.units : 0;
    return units;
  }
  std::int64_t mpart() const {
    if (mpart_.was_given()) return mpart_->value;
    return io_chunk_of_memory(memory_.was_given() ? memory_->value : node_memory_.memory.value, node_memory_.ranks);
  }
  // Whether the number of calls is known before the pattern begins, instead of being found by its time.
  bool is_counted(const IoPattern& pattern) const {
    return *calls_ > 0 || pattern.units == 0 || is_segmented(pattern.type);
  }
  io::Layout layout() const;
  std::string file_name_of(const Partition& partition, IoType type) const;

  void measure(Partition& partition, IoAccess access, Recorder& recorder);
  std::string measure_type(Partition& partition, IoAccess access, IoType type, Recorder& recorder);
  void publish(Partition& partition, IoAccess access, IoType type, const std::string& text) const;
  void set_pattern_hints(IoFile& file, int pattern) const;
  void measure_pattern(IoFile& file, Partition& partition, PatternRun& run, Recorder& recorder);
  std::int64_t max_calls(const Partition& partition, const IoPattern& pattern) const;
  std::int64_t calls_per_segment(const Partition& partition, const IoPattern& pattern) const;
  void set_segment_length(Partition& partition);
  std::int64_t next_batch(const Partition& partition, const PatternRun& run, std::int64_t start_ns, std::int64_t calls,
                          Recorder& recorder) const;
  std::int64_t call_bytes(const Partition& partition, const IoPattern& pattern, const FileRegion& region) const;
  void seek_to(IoFile& file, const Partition& partition, const PatternRun& run, std::int64_t call);
  void seek_to_pattern(IoFile& file, const Partition& partition, const PatternRun& run);
  Permutation random_order(const PatternRun& run) const;
  void transfer(IoFile& file, const Partition& partition, const PatternRun& run, std::int64_t turn, Recorder& recorder);
  void reduce(const Partition& partition, std::vector<PatternRun>& runs, IoResult& file_result) const;
  void write_protocol(const std::string& text) const;
  void sleeping_barrier() const;
  double b_eff_io_value(const Partition& partition) const;
  const Partition& best() const;
  double access_bandwidth(const Partition& partition, IoAccess access) const;

  Param<Nanoseconds> time_{
      this,
      'T',
      "time",
      Nanoseconds{io_definition_s * 1'000'000'000},
      "time for a partition (release 2: for all partitions); the definition requires at least 15 min",
      Positive{}};
  Param<std::string> path_{this, 'f', "file", "b_eff_io", "prefix of the names of its files", NotEmpty{}};
  Param<std::vector<PartitionChoice>> partitions_{
      this,
      "partitions",
      {},
      "partitions: 8 (the first ranks), 2x4 (4 ranks on each of 2 nodes), r0-3+8 (these ranks); default: all ranks; "
      "release 2: all, a half, a quarter"};
  Param<std::int64_t> release_{
      this, "release", 1,
      "1: one partition after the other; 2: all partitions write, then rewrite (scattering type only), then read",
      ValidRelease{}};
  Param<std::vector<std::int64_t>> types_{this, "types", {0, 1, 2, 3, 4}, "pattern types to measure"};
  Param<bool> no_shared_{this, "no-shared", "use calls with offsets instead of shared file pointers for type 1"};
  Param<Bytes> memory_{this, "memory", Bytes{0},
                       "memory of a node; the longest chunk is 1/128 of it, at least 2 MiB (default: detected)"};
  Param<Bytes> mpart_{this, "mpart", Bytes{0}, "the longest chunk, instead of --memory", FitsMessage{}};
  Param<Bytes> limit_{this, "limit", Bytes{0},
                      "approximate limit on the total size of its files; 0: as much as time allows"};
  Param<std::int64_t> calls_{this, "calls", 0, "calls per rank and pattern, instead of --time", NotNegative{}};
  Param<bool> random_{this, "random", "rewrite and read each pattern's calls in random order"};
  io::Hints hints_{*this};
  Param<std::vector<PatternHint>> pattern_hints_{
      this, "pattern-hint", {}, "hints for MPI-IO from a pattern on to the end of its file, number:key=value"};
  Param<bool> keep_{this, "keep", "keep the files when the motif ends"};
  Param<bool> overwrite_{this, "overwrite", "replace existing files"};
  Param<std::string> protocol_file_{this, "protocol", "",
                                    "write the result of each pattern to this file as JSON Lines; it must not exist",
                                    NotEmpty{}};

  Metric b_eff_io_{this, "b_eff_io_bytes_per_s", Better::higher, "the effective I/O bandwidth of the best partition"};
  Metric write_{this, "write_bytes_per_s", Better::higher, "bandwidth of initial writing in that partition"};
  Metric rewrite_{this, "rewrite_bytes_per_s", Better::higher, "bandwidth of rewriting in that partition"};
  Metric read_{this, "read_bytes_per_s", Better::higher, "bandwidth of reading in that partition"};
  Metric time_share_used_{this, "scheduled_time_share", Better::lower, "time used / time scheduled"};

  io::Run run_;
  mpi::Group group_;
  NodeMemory node_memory_;
  Draw order_draw_;
  std::vector<IoPattern> patterns_;
  std::vector<Partition> measured_partitions_;
  std::optional<io::OwnedFiles> owned_;
  std::optional<io::AppendedFile> protocol_;
  FileContents contents_;
  TimeShares shares_;
  std::int64_t schedule_start_ns_ = 0;  // start of the schedule
  std::int64_t next_base_ = 0;          // start of the next pattern's data, during initial writing
  std::int64_t shared_pointer_ = 0;     // position of the shared file pointer
  double sync_s_per_byte_ = 0;          // of the last sync
  double elapsed_s_ = 0;
  int execution_ = -1;
  mutable std::vector<std::string> notes_;
};

}  // namespace stressbench::beff
