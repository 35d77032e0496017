// The metrics of transfers: times, amounts and rates, from the times of each pass over a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/backend.hpp"
#include "motifs/motif.hpp"
#include "motifs/storage/rate.hpp"

namespace stressbench::io {

class TransferRates {
 public:
  explicit TransferRates(Motif* motif) : motif_(motif) {}

  // Times of one pass on this rank, and the amounts that it transferred.
  struct Span {
    std::int64_t open_start_ns = 0;
    std::int64_t first_start_ns = 0;   // start of the first transfer
    std::int64_t transfer_end_ns = 0;  // end of the last transfer
    std::int64_t sync_end_ns = 0;      // end of the sync after it, if there is one
    std::int64_t close_end_ns = 0;
    std::int64_t written = 0;  // bytes
    std::int64_t read = 0;
    std::int64_t transfers = 0;
  };

  // Makes room for the passes of one region, so that `add` does not allocate.
  void reserve(std::size_t passes);
  // Discards the passes of the previous region.
  void clear() noexcept;
  // A pass with Access::both counts as writing.
  void add(Access access, const Span& span);
  // Adds the rates of all passes since `clear`: each pass takes from the first rank's start to the last rank's end.
  // Collective. `clock_offset_ns`: this host's clock minus that of the job's first host.
  void reduce(const mpi::Group& group, std::int64_t clock_offset_ns);

 private:
  struct Rates {
    Rate& bandwidth;
    Rate& transfer_bandwidth;
    Rate& transfers_per_s;
    Rate& rank_bandwidth;
  };
  static void reduce(std::vector<Span>& spans, Rates rates, const mpi::Group& group, std::int64_t clock_offset_ns);

  Motif* motif_;  // declares the metrics
  Metric open_{motif_, "open_time_s", Better::lower, "time to open"};
  Metric write_{motif_, "write_time_s", Better::lower, "from the start of the first write to the end of the last"};
  Metric read_{motif_, "read_time_s", Better::lower, "from the start of the first read to the end of the last"};
  Metric sync_{motif_, "sync_time_s", Better::lower, "time to sync before closing"};
  Metric close_{motif_, "close_time_s", Better::lower, "time to close"};
  Metric written_bytes_{motif_, "written_bytes", Better::higher, "bytes that a rank wrote"};
  Metric read_bytes_{motif_, "read_bytes", Better::higher, "bytes that a rank read"};
  Metric transfers_{motif_, "transfers", Better::higher, "transfers of a rank"};
  Rate write_bandwidth_{motif_, "write_bandwidth_bytes_per_s", Better::higher,
                        "bytes of all ranks / time from the first open to the last close"};
  Rate write_transfer_bandwidth_{
      motif_, "write_transfer_bandwidth_bytes_per_s", Better::higher,
      "bytes of all ranks / time from the start of the first transfer to the end of the last, including sync"};
  Rate write_transfers_per_s_{
      motif_, "write_transfers_per_s", Better::higher,
      "transfers of all ranks / time from the start of the first to the end of the last, including sync"};
  Rate write_rank_bandwidth_{motif_, "write_rank_bandwidth_bytes_per_s", Better::higher,
                             "bytes of a rank / time from its open to its close"};
  Rate read_bandwidth_{motif_, "read_bandwidth_bytes_per_s", Better::higher, "as for writing"};
  Rate read_transfer_bandwidth_{motif_, "read_transfer_bandwidth_bytes_per_s", Better::higher, "as for writing"};
  Rate read_transfers_per_s_{motif_, "read_transfers_per_s", Better::higher, "as for writing"};
  Rate read_rank_bandwidth_{motif_, "read_rank_bandwidth_bytes_per_s", Better::higher, "as for writing"};

  std::vector<Span> write_spans_;  // one per iteration
  std::vector<Span> read_spans_;
};

}  // namespace stressbench::io
