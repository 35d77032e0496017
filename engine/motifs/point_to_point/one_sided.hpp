// Base class of one-sided motifs: a window, epochs around the operations, and their origins and targets. A derived
// class only defines one operation. Definitions: docs/motifs/put.md.
#pragma once

#include <mpi.h>

#include <vector>

#include "core/buffer.hpp"
#include "motifs/motif.hpp"
#include "motifs/point_to_point/access_pattern.hpp"
#include "motifs/serial_setup.hpp"
#include "mpi/window.hpp"

namespace stressbench {

enum class Synchronisation { fence, lock, lock_all, pscw };

enum class WindowKind { create, allocate };

class OneSided : public Motif, public SerialSetup {
 public:
  ~OneSided() override;

  void check(int ranks) const override;
  Traffic traffic(int ranks) const override;
  std::optional<Bandwidth> bandwidth(int ranks) const override;

  void decompose(const mpi::Group& group, const Draw& draws) final;
  bool is_timed() const final { return !peers_.targets.empty(); }
  // Both contain a barrier, since a target cannot know when its memory is accessed: all memory is filled before the
  // first operation, and all operations have ended before the check.
  void fill_payload(std::uint64_t pass) final;
  void verify(std::uint64_t pass) const final;

 protected:
  static constexpr std::int64_t max_operations = 65536;

  // Bytes of the target's memory that one operation accesses, and how many times they cross the network.
  virtual std::int64_t operation_bytes() const = 0;
  virtual int crossings() const { return 1; }
  // The piece of the target's memory that an operation accesses: its own, one shared by the operations with the same
  // number of all origins, or one shared by all operations.
  enum class Piece { own, by_operation, shared };
  virtual Piece piece() const { return Piece::own; }
  // One operation, prepared outside the timed region.
  struct Operation {
    std::size_t target = 0;  // among this rank's targets
    std::size_t index = 0;   // among the operations on it
    int rank = 0;
    std::byte* local = nullptr;
    MPI_Aint displacement = 0;  // displacement in the target's window
  };
  // The body of `perform` in each motif: its operations within epochs. A template, since an indirect call takes 20 ns
  // after the system call that moves the bytes of a put between processes.
  template <class Issue>
  void with_epochs(Issue issue);
  virtual void fill_memory(std::uint64_t pass) = 0;
  virtual void verify_memory(std::uint64_t pass) const = 0;

  // This rank's local buffer for an operation: its data, or the memory for its result.
  std::span<std::byte> local(std::size_t target, std::size_t operation) const;
  // The part of this rank's window that an operation of the origin with index `origin_index` accesses.
  std::span<std::byte> exposed(std::size_t origin_index, std::size_t operation) const;

  const AccessPeers& peers() const noexcept { return peers_; }
  int target_rank(std::size_t target) const { return peers_.targets[target].rank; }
  std::size_t operations() const noexcept { return static_cast<std::size_t>(*operations_); }
  int origins_per_target() const { return stressbench::origins_per_target(*pattern_, ranks_); }
  MPI_Win window() const noexcept { return window_.handle(); }
  int rank() const noexcept { return rank_; }

 private:
  std::size_t piece_count(std::size_t origins) const;
  std::size_t piece_index(std::size_t origin_index, std::size_t operation) const;
  void plan_operations();
  void lock_for_all_iterations();
  template <class Issue>
  void issue_all(Issue issue);
  template <class Issue>
  void lock_epochs(Issue issue);
  void flush();

  Param<std::int64_t> operations_{this,
                                  'n',
                                  "operations",
                                  1,
                                  "operations on each target before the synchronisation",
                                  Positive{},
                                  AtMost{max_operations}};
  Param<Synchronisation> sync_{this, "sync", Synchronisation::lock, "synchronisation that encloses the operations"};
  Param<bool> flush_{this, "flush", "take locks once, before the timed region; each iteration ends with MPI_Win_flush"};
  Param<WindowKind> kind_{this, "window-kind", WindowKind::create,
                          "memory of the program (MPI_Win_create) or of the library (MPI_Win_allocate)"};
  Param<AccessPattern> pattern_{
      this, "pattern", AccessPattern::one_way,
      "which ranks access whose memory: the lower rank of a pair the other's, both each other's, all "
      "both neighbours' in a ring, rank 0 all others', all rank 0's, all all others'"};
  Param<Pairing> pairs_{this, "pairs", Pairing{}, "how ranks are paired", KnownPairing{}};

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_ = 0;
  AccessPeers peers_;
  std::vector<int> target_ranks_;              // without duplicates
  std::vector<Operation> planned_operations_;  // grouped by target
  Buffer local_;
  Buffer user_memory_;  // memory passed to MPI_Win_create
  mpi::Window window_;
  mpi::RankSet targets_;
  mpi::RankSet origins_;
  bool locked_ = false;
};

template <class Issue>
void OneSided::with_epochs(Issue issue) {
  if (*flush_) {
    issue_all(issue);
    return flush();
  }
  const bool accesses = !peers_.targets.empty();
  switch (*sync_) {
    case Synchronisation::fence:
      mpi::check(MPI_Win_fence(0, window()), "MPI_Win_fence");
      issue_all(issue);
      mpi::check(MPI_Win_fence(0, window()), "MPI_Win_fence");
      return;
    case Synchronisation::lock:
      return lock_epochs(issue);
    case Synchronisation::lock_all:
      if (!accesses) return;
      mpi::check(MPI_Win_lock_all(0, window()), "MPI_Win_lock_all");
      issue_all(issue);
      mpi::check(MPI_Win_unlock_all(window()), "MPI_Win_unlock_all");
      return;
    case Synchronisation::pscw: {
      const bool exposes = !peers_.origins.empty();
      if (exposes) mpi::check(MPI_Win_post(origins_.handle(), 0, window()), "MPI_Win_post");
      if (accesses) {
        mpi::check(MPI_Win_start(targets_.handle(), 0, window()), "MPI_Win_start");
        issue_all(issue);
        mpi::check(MPI_Win_complete(window()), "MPI_Win_complete");
      }
      if (exposes) mpi::check(MPI_Win_wait(window()), "MPI_Win_wait");
      return;
    }
  }
}

template <class Issue>
void OneSided::issue_all(Issue issue) {
  for (const Operation& operation : planned_operations_) issue(operation);
}

template <class Issue>
void OneSided::lock_epochs(Issue issue) {
  for (auto first = planned_operations_.begin(); first != planned_operations_.end();) {
    const int target = first->rank;
    const auto end = first + static_cast<std::ptrdiff_t>(operations());
    mpi::check(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window()), "MPI_Win_lock");
    for (; first != end; ++first) issue(*first);
    mpi::check(MPI_Win_unlock(target, window()), "MPI_Win_unlock");
  }
}

}  // namespace stressbench
