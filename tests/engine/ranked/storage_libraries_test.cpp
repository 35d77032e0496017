// Backends hdf5 and pnetcdf: data written by one object is found by another, and faults are reported without hanging.
#include <gmock/gmock.h>

#include "allocations.hpp"
#include "capture.hpp"
#include "storage_bench.hpp"
#include "storage_fixture.hpp"

namespace stressbench::test {
namespace {

using io::Access;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct LibraryCase {
  std::string name;
  std::string backend;
  Settings settings;
};
void PrintTo(const LibraryCase& library_case, std::ostream* out) { *out << library_case.name; }

// Whether the backend may be missing: distributions have no PnetCDF for MPICH.
bool is_optional(const std::string& backend) {
#if defined(OPEN_MPI)
  (void)backend;
  return false;
#else
  return backend == "pnetcdf" && !has_backend(backend);
#endif
}

class StorageLibraries : public StorageTest, public testing::WithParamInterface<LibraryCase> {
 protected:
  void SetUp() override {
    StorageTest::SetUp();
    if (is_optional(GetParam().backend)) GTEST_SKIP() << "built without " << GetParam().backend;
    ASSERT_TRUE(has_backend(GetParam().backend)) << "built without it, although scripts/test.sh installs it";
  }
  BackendBench bench() const { return {GetParam().backend, GetParam().settings}; }
  bool collective() const { return GetParam().name.find("ollective") != std::string::npos; }
  // The data as read by an object of this rank alone.
  std::vector<std::byte> read_by_one_rank() const {
    const mpi::Group self = group_.split(group_.rank(), 0);
    const Strided whole_file{self, Strided{group_}.file_bytes(), 1};
    group_.barrier();
    const BackendBench reader = bench();
    return read_all(*reader, whole_file, path_);
  }
};

TEST_P(StorageLibraries, WriteWhatEveryRankFinds) {
  const BackendBench writer = bench();
  EXPECT_EQ(writer->collective(), collective());
  const Strided part{group_};
  write_all(*writer, part, path_);
  EXPECT_TRUE(read_by_one_rank() == bytes_at(0, part.file_bytes()));
}

TEST_P(StorageLibraries, ReadTogetherWhatWasWritten) {
  const BackendBench writer = bench();
  const Strided part{group_};
  write_all(*writer, part, path_);
  const BackendBench reader = bench();
  EXPECT_TRUE(read_all(*reader, part, path_) == own_blocks(part));
}

TEST_P(StorageLibraries, OpenAFileTimeAndAgain) {
  const BackendBench writer = bench();
  const Strided part{group_};
  for (int pass = 0; pass < 3; ++pass) write_all(*writer, part, path_);
  EXPECT_TRUE(read_by_one_rank() == bytes_at(0, part.file_bytes()));
}

TEST_P(StorageLibraries, FillAnEmptyFileThatIsThere) {
  write_content({});
  const BackendBench writer = bench();
  const Strided part{group_};
  write_all(*writer, part, path_);
  EXPECT_TRUE(read_by_one_rank() == bytes_at(0, part.file_bytes()));
}

TEST_P(StorageLibraries, KeepWhatIsInTheFile) {
  const BackendBench writer = bench();
  const Strided part{group_};
  write_all(*writer, part, path_);
  const BackendBench again = bench();
  write_all(*again, Strided{group_, 1000, 2}, path_);
  EXPECT_TRUE(read_by_one_rank() == bytes_at(0, part.file_bytes()));
}

TEST_P(StorageLibraries, TakeTransfersOfOtherLengths) {
  const BackendBench writer = bench();
  const Strided part{group_};
  const auto opening = part.opening(path_, Access::write);
  writer->prepare(opening);
  writer->open(opening);
  for (int k = 0; k < part.blocks; ++k) {
    const auto block = bytes_at(part.offset(k), part.length);
    writer->write(part.offset(k), std::span(block).first(300));
    writer->write(part.offset(k) + 300, std::span(block).subspan(300));
  }
  writer->close();
  EXPECT_TRUE(read_by_one_rank() == bytes_at(0, part.file_bytes()));
}

TEST_P(StorageLibraries, MakeAFileOfEachRank) {
  const mpi::Group self = group_.split(group_.rank(), 0);
  const std::string own = path_ + std::to_string(group_.rank());
  const Strided part{self};
  const BackendBench writer = bench();
  write_all(*writer, part, own);
  const BackendBench reader = bench();
  EXPECT_TRUE(read_all(*reader, part, own) == own_blocks(part));
  EXPECT_TRUE(writer->remove(own));
}

TEST_P(StorageLibraries, SaySoWhereTheFileHoldsLess) {
  const TimeLimit limit;
  const BackendBench writer = bench();
  write_all(*writer, Strided{group_}, path_);
  const BackendBench reader = bench();
  const Strided more{group_, 1000, 7};
  EXPECT_THAT(thrown<MachineFault>([&] { read_all(*reader, more, path_); }),
              AllOf(HasSubstr(path_), HasSubstr(" of " + std::to_string(more.file_bytes()) + " bytes")));
}

TEST_P(StorageLibraries, SaySoWhereTheFileIsOfAnotherKind) {
  const TimeLimit limit;
  write_content(bytes_at(1, 5000));
  const BackendBench reader = bench();
  EXPECT_THAT(thrown<MachineFault>([&] { read_all(*reader, Strided{group_}, path_); }),
              AllOf(HasSubstr("open '" + path_ + "': "), Not(HasSubstr("gives no reason"))));
}

TEST_P(StorageLibraries, SaySoWhereThereIsNoFolder) {
  const TimeLimit limit;
  const BackendBench writer = bench();
  const std::string nowhere = path_ + "/no/such";
  EXPECT_THAT(thrown<MachineFault>([&] { write_all(*writer, Strided{group_}, nowhere); }),
              AllOf(HasSubstr("create '" + nowhere + "'"), HasSubstr("No such file or directory")));
  EXPECT_THAT(thrown<MachineFault>([&] { read_all(*writer, Strided{group_}, path_); }),
              HasSubstr("No such file or directory"));
}

// In a separate launch (CMakeLists.txt): failed requests stay pending, and while there are any, Open MPI does not sync
// files.
class ApartLibraries : public StorageLibraries {};

TEST_P(ApartLibraries, SaySoWhereTheDiskIsFull) {
  const TimeLimit limit;
  const SmallDisk disk(group_, 64 << 10);
  if (!disk.mounted()) GTEST_SKIP() << "no small tmpfs may be mounted here: " << disk.mount_error();
  BackendBench writer = bench();
  const Strided part{group_, 100'000, 1};
  const auto opening = part.opening(disk.file(), Access::write);
  const auto memory = bytes_at(part.offset(0), part.length);
  std::string fault = thrown<MachineFault>([&] {
    writer->prepare(opening);
    writer->open(opening);
    writer->write(part.offset(0), memory);
  });
  if (!on_any(!fault.empty())) fault = thrown<MachineFault>([&] { writer->close(); });
  EXPECT_TRUE(on_any(fault.find("No space left on device") != std::string::npos)) << fault;
  EXPECT_THAT(fault, AnyOf(IsEmpty(), HasSubstr(disk.file())));
  writer.destroy();
}

TEST_P(StorageLibraries, RefuseUnevenTransfersTogether) {
  const BackendBench writer = bench();
  const std::string mistake = thrown<ParameterMistake>([&] { writer->check({.even_transfers = false}); });
  if (collective()) {
    EXPECT_THAT(mistake, AllOf(HasSubstr("--transfer-mode: collective"), HasSubstr("use independent")));
  } else {
    EXPECT_THAT(mistake, IsEmpty());
  }
}

TEST_P(StorageLibraries, TellWhatBecameOfHints) {
  LibraryCase library_case = GetParam();
  library_case.settings.emplace_back("hint", "cb_nodes=1");
  const BackendBench writer(library_case.backend, library_case.settings);
  write_all(*writer, Strided{group_}, path_);
  const auto notes = writer->notes();
  if (group_.rank() == 0) {
    EXPECT_THAT(notes, Contains(HasSubstr("hint cb_nodes=1")));
  } else {
    EXPECT_THAT(notes, IsEmpty());
  }
}

TEST_P(StorageLibraries, AllocateNothingInTransfers) {
  const BackendBench writer = bench();
  const Strided part{group_};
  const auto opening = part.opening(path_, Access::write);
  writer->prepare(opening);
  writer->open(opening);
  const auto memory = bytes_at(part.offset(0), part.length);
  const std::int64_t before = allocations();
  for (int k = 0; k < 4; ++k) writer->write(part.offset(0), memory);
  EXPECT_EQ(allocations() - before, 0);
  writer->close();
}

const auto library_cases = testing::Values(
    LibraryCase{"Hdf5Independent", "hdf5", {}}, LibraryCase{"Hdf5Chunked", "hdf5", {{"chunk", "1500"}}},
    LibraryCase{"Hdf5Aligned", "hdf5", {{"alignment", "4096"}}}, LibraryCase{"PnetcdfIndependent", "pnetcdf", {}},
    LibraryCase{"PnetcdfCollective", "pnetcdf", {{"-n", "collective"}}},
    LibraryCase{"Hdf5Collective", "hdf5", {{"-n", "collective"}}},
    LibraryCase{"Hdf5ChunkedCollective", "hdf5", {{"chunk", "1500"}, {"transfer-mode", "collective"}}});
std::string name_of(const testing::TestParamInfo<LibraryCase>& library_case) { return library_case.param.name; }
INSTANTIATE_TEST_SUITE_P(All, StorageLibraries, library_cases, name_of);
INSTANTIATE_TEST_SUITE_P(All, ApartLibraries, library_cases, name_of);

class Hdf5Storage : public StorageTest {
 protected:
  void SetUp() override {
    StorageTest::SetUp();
    ASSERT_TRUE(has_backend("hdf5")) << "built without it, although scripts/test.sh installs it";
  }
};

TEST_F(Hdf5Storage, PutsItsDataAtAMultipleOfTheAlignment) {
  const BackendBench writer("hdf5", {{"alignment", "4096"}});
  const Strided part{group_};
  write_all(*writer, part, path_);
  const auto file = content();
  const auto data = bytes_at(0, part.file_bytes());
  const auto at = std::ranges::search(file, data);
  ASSERT_FALSE(at.empty());
  EXPECT_EQ((at.begin() - file.begin()) % 4096, 0);
  EXPECT_LT(file.size(), data.size() + 3 * 4096);  // the metadata of HDF5 is not aligned
}

TEST_F(Hdf5Storage, TellsHowTransfersWereMade) {
  const auto transfer_notes = [&](const Settings& settings) {
    const BackendBench writer("hdf5", settings);
    write_all(*writer, Strided{group_}, path_);
    return writer->notes();
  };
  const auto independent = transfer_notes({});
  const auto collective = transfer_notes({{"-n", "collective"}});
  if (group_.rank() != 0) {
    EXPECT_THAT(collective, IsEmpty());
    return;
  }
  EXPECT_THAT(independent, testing::ElementsAre("HDF5 made independent transfers: independent"));
  EXPECT_THAT(collective, testing::ElementsAre("HDF5 made collective transfers: collective"));
}

TEST_F(Hdf5Storage, TellsItOnce) {
  const BackendBench writer("hdf5", {});
  write_all(*writer, Strided{group_}, path_);
  writer->notes();
  write_all(*writer, Strided{group_}, path_);
  EXPECT_THAT(writer->notes(), IsEmpty());
}

TEST_F(Hdf5Storage, NoticesThatLessWasWrittenThanGiven) {
  const TimeLimit limit;
  BackendBench writer("hdf5", {});
  const Strided part{group_};
  const auto opening = part.opening(path_, Access::write);
  const auto memory = bytes_at(part.offset(0), part.length);
  writer->prepare(opening);
  writer->open(opening);
  capture::shorten_write();
  EXPECT_THAT(thrown<MachineFault>([&] { writer->write(part.offset(0), memory); }),
              AllOf(HasSubstr("H5Dwrite '" + path_ + "': writing 1000 bytes at offset "), HasSubstr("write failed")));
  writer.destroy();
}

TEST_F(Hdf5Storage, RefusesChunksLongerThanTheFile) {
  const BackendBench writer("hdf5", {{"chunk", "1MiB"}});
  EXPECT_THAT(thrown<ParameterMistake>([&] { write_all(*writer, Strided{group_}, path_); }),
              HasSubstr("--chunk: 1048576 bytes are more than a file of"));
}

}  // namespace
}  // namespace stressbench::test
