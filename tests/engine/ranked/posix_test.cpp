// posix: many ranks write to one file.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/payload.hpp"
#include "io/backend.hpp"
#include "motif_bench.hpp"

namespace stressbench::test {
namespace {

struct Spelt {
  const char* call;
  bool preallocate;
};

class PosixShared : public testing::TestWithParam<Spelt> {
 protected:
  void SetUp() override {
    group_ = mpi::Group::view(MPI_COMM_WORLD).duplicate();
    for (const auto& entry : io::backends()) {
      if (entry.name == "posix") backend_ = entry.make(owner_);
    }
    owner_.find("call")->parse(GetParam().call);
    if (GetParam().preallocate) owner_.find("preallocate")->parse("");
  }
  void TearDown() override {
    group_.barrier();
    if (world_rank() == 0) std::filesystem::remove(path_);
    group_.barrier();
  }

  std::string path_ = std::filesystem::current_path() / "shared";
  mpi::Group group_;
  ParameterSet owner_;
  std::unique_ptr<io::Backend> backend_;
};

TEST_P(PosixShared, EachRankFindsWhatItsNeighbourWrote) {
  constexpr std::size_t length = 5000;
  const int neighbour = (world_rank() + 1) % world_size();
  const auto offset_of = [&](int rank) { return rank * static_cast<std::int64_t>(length); };
  io::Opening opening{path_, io::Access::write, &group_, offset_of(world_size()), length};
  std::vector<std::byte> bytes(length);
  backend_->prepare(opening);
  backend_->open(opening);
  payload::fill(bytes, {world_rank(), world_rank(), 1}, static_cast<std::uint64_t>(offset_of(world_rank())));
  backend_->write(offset_of(world_rank()), bytes);
  backend_->sync();
  backend_->close();
  group_.barrier();
  EXPECT_EQ(std::filesystem::file_size(path_), static_cast<std::uintmax_t>(offset_of(world_size())));

  opening.access = io::Access::read;
  backend_->open(opening);
  backend_->read(offset_of(neighbour), bytes);
  backend_->close();
  EXPECT_EQ(payload::first_wrong(bytes, {neighbour, neighbour, 1}, static_cast<std::uint64_t>(offset_of(neighbour))),
            std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Calls, PosixShared,
                         testing::Values(Spelt{"pwrite", false}, Spelt{"pwrite", true}, Spelt{"write", false},
                                         Spelt{"mmap", false}, Spelt{"mmap", true}),
                         [](const auto& tested) {
                           return std::string(tested.param.call) + (tested.param.preallocate ? "_preallocated" : "");
                         });

}  // namespace
}  // namespace stressbench::test
