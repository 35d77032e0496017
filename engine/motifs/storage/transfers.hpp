// The motif of all storage backends: ranks open files, access their portions in transfers, sync and close
// (docs/motifs/storage.md).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/buffer.hpp"
#include "core/permutation.hpp"
#include "io/backend.hpp"
#include "io/owned_files.hpp"
#include "motifs/motif.hpp"
#include "motifs/storage/drawn_size.hpp"
#include "motifs/storage/extents.hpp"
#include "motifs/storage/pace.hpp"
#include "motifs/storage/transfer_rates.hpp"

namespace stressbench {
namespace io {

enum class Work { write, rewrite, append, read, write_read, mixed };
enum class Directories { none, node, file };

struct Fraction {
  static constexpr std::string_view words = "from 0 to 1";
  static bool holds(double v) noexcept { return v >= 0 && v <= 1; }
};

}  // namespace io

namespace io {

class Transfers final : public Motif {
 public:
  explicit Transfers(const BackendEntry& backend);

  void check(int ranks) const override;
  Traffic traffic(int ranks) const override;
  std::optional<Bytes> message_size() const override { return drawn_.enabled() ? std::nullopt : std::optional(*size_); }
  std::string size_parameter() const override { return "size"; }
  std::optional<Bandwidth> bandwidth(int ranks) const override;

  void bind(const RunContext& context) override { context_ = context; }
  void decompose(const mpi::Group& group, const Draw& draws) override;
  void prepare(std::uint64_t execution) override;
  void perform(Recorder& recorder) override;
  void reduce_metrics() override { rates_.reduce(*group_, clock_offset_ns_); }
  void fill_payload(std::uint64_t pass) override;
  void verify(std::uint64_t pass) const override;
  void finish(const mpi::Group& group, int round) override;

  std::span<Metric* const> measured() const override;
  std::vector<MotifHistogram*> histograms() override;
  std::vector<std::string> notes() const override { return notes_; }

 private:
  // One pass over a rank's portion of a file.
  struct Pass {
    Access access = Access::write;
    mpi::Group ranks;  // the ranks that share the file
    Opening opening;
    Portion portion;
    Extents extents;
    int writer = 0;         // rank that wrote or writes these bytes
    std::int64_t base = 0;  // start of the pass in the file; advances with append
  };
  struct Transfer {
    Extent extent;
    std::byte* memory = nullptr;
    std::int64_t started_ns = 0;
    bool reads = false;
    std::span<std::byte> bytes() const noexcept { return {memory, static_cast<std::size_t>(extent.length)}; }
  };
  struct Progress {
    std::int64_t transfers = 0;
    std::int64_t written = 0;  // bytes
    std::int64_t read = 0;
  };
  enum class Stop { when_complete, at_time_limit };
  static constexpr std::uint64_t initial_payload_key = 0;  // of bytes that were written before the first repetition
  void check_drawn(int ranks) const;
  bool writes() const noexcept { return *work_ != Work::read; }
  bool reads() const noexcept { return *work_ == Work::read || *work_ == Work::write_read || *work_ == Work::mixed; }
  bool needs_data() const noexcept { return *work_ == Work::read || *work_ == Work::rewrite || *work_ == Work::mixed; }
  std::int64_t block() const noexcept { return size_->value / *segments_; }
  std::int64_t transfer_bytes() const noexcept { return transfer_->value > 0 ? transfer_->value : block(); }
  AccessRequirements requirements() const;

  void find_node(const mpi::Group& group);
  Portion portion(const mpi::Group& group) const;
  std::string file_name_of(const Portion& portion, int node) const;
  Pass make_pass(Access access, const mpi::Group& group, int shift) const;
  std::int64_t bytes_of(const Portion& portion) const;
  void draw_sizes();
  void claim();
  void write_initial_data();
  void drop_caches();

  void note(std::string text);

  void run_pass(Pass& pass, Recorder& recorder);
  void transfer_all(const Pass& pass, Recorder& recorder);
  void transfer_collectively(const Pass& pass, std::int64_t transfers, Recorder& recorder);
  void transfer_until(const Pass& pass, std::int64_t until, Stop stop, Recorder& recorder);
  void plan_transfer(const Pass& pass, std::int64_t position, Transfer& transfer) const;
  std::int64_t fill_write_payload(const Pass& pass, const Transfer& transfer, const Recorder& recorder) const;
  void start(const Transfer& transfer);
  void finish_transfer(const Pass& pass, const Transfer& transfer, std::int64_t now_ns);
  std::optional<std::string> wrong_byte(const Pass& pass, const Transfer& transfer, std::uint64_t pass_key) const;
  std::uint64_t payload_key_of(std::uint64_t pass) const;
  std::int64_t transfers_of_writer(std::int64_t own, int writer) const;
  std::optional<Permutation> order_of(int rank, std::int64_t transfers) const;

  Param<Bytes> size_{this, 's', "size", Bytes{1 << 20}, "bytes that each rank transfers", Positive{}};
  Param<std::int64_t> ranks_given_{this, 'm', "ranks", 0, "number of ranks; if given, must be that of the job"};
  Param<std::string> path_{this,      'f', "file", "", "name of the file, or prefix of the names of several files",
                           NotEmpty{}};
  Param<Work> work_{this, "do", Work::write, "operation of the transfers"};
  Param<Files> files_{this, "files", Files{},
                      "number of files: one for all ranks, one per rank, one per node, or one per K ranks (every:K)"};
  Param<Directories> directories_{this, "directories", Directories::none,
                                  "with several files: one directory per node, or per file"};
  Param<Bytes> transfer_{this, 't', "transfer", Bytes{0}, "bytes per transfer; 0: a whole block", FitsMessage{}};
  Param<std::int64_t> segments_{this, "segments", 1,
                                "blocks into which a rank's bytes are divided; blocks of ranks alternate in the file",
                                Positive{}};
  Param<bool> random_{this, "random", "random order of a rank's transfers"};
  Param<std::int64_t> shift_{this, "shift", 0, "each rank reads what the rank this far away wrote"};
  Param<double> read_share_{this, "read-share", 0.5, "share of reads among the transfers, with --do mixed", Fraction{}};
  Param<bool> sync_{this, "sync", "sync before closing"};
  Param<bool> sync_each_{this, "sync-each", "sync after each transfer"};
  Param<bool> drop_caches_{this, "drop-caches", "drop the files from this node's page cache before reading"};
  Param<bool> existing_{this, "existing", "read existing files, and leave them unchanged"};
  Param<bool> keep_{this, "keep", "keep the files when the motif ends"};
  Param<bool> overwrite_{this, "overwrite", "replace existing files"};
  DrawnSize drawn_{this};
  Pace pace_{this};

  TransferRates rates_{this};
  mutable std::vector<Metric*> measured_;  // determined by the first call of measured()

  MotifHistogram write_times_{"write transfer"};
  MotifHistogram read_times_{"read transfer"};

  RunContext context_;
  Draw draws_;
  const mpi::Group* group_ = nullptr;
  int node_ = 0;  // this rank's node, numbered within the job
  int nodes_ = 1;
  std::int64_t clock_offset_ns_ = 0;  // this host's clock minus that of the job's first host
  Portion node_portion_;
  std::optional<OwnedFiles> owned_;
  std::unique_ptr<Backend> backend_;  // releases files before owned_ removes them
  std::optional<Pass> writing_;
  std::optional<Pass> reading_;
  std::int64_t reading_limit_ = 0;  // transfers of the reading pass: no more than were written
  std::optional<Permutation> order_;
  std::vector<bool> reads_next_;  // by transfer, with --do mixed
  Buffer memory_;                 // of transfers in flight
  std::vector<Transfer> in_flight_;
  bool nonblocking_ = false;
  Progress progress_;            // of the current pass
  std::uint64_t execution_ = 0;  // of the current region
  bool verified_ = false;
  std::uint64_t payload_key_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace io
}  // namespace stressbench
