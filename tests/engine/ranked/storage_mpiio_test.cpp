// Backend mpiio: every call writes and reads the right bytes, and none hides a failure of the storage.
#include <gmock/gmock.h>

#include <set>

#include "allocations.hpp"
#include "capture.hpp"
#include "storage_bench.hpp"
#include "storage_fixture.hpp"

namespace stressbench::test {
namespace {

using io::Access;
using io::AccessRequirements;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

#ifdef OPEN_MPI
constexpr bool open_mpi = true;
#else
constexpr bool open_mpi = false;
#endif

using MpiIoStorage = StorageTest;

std::string refused(const Settings& settings, const AccessRequirements& requirements) {
  const BackendBench bench("mpiio", settings);
  return thrown<ParameterMistake>([&] { bench->check(requirements); });
}

// The kinds of calls: "write_at_all" for MPI_File_write_at_all.
class MpiIoCalls : public StorageTest, public testing::WithParamInterface<std::string> {
 protected:
  Settings settings(Settings more = {}) const {
    more.emplace_back("call", "MPI_File_" + GetParam());
    if (GetParam().starts_with("i")) more.emplace_back("in-flight", "4");
    return more;
  }
};

// Whole blocks, sorted by contents: with a shared pointer, their positions depend on a race between ranks.
std::multiset<std::vector<std::byte>> blocks_of(const std::vector<std::byte>& bytes, std::int64_t length) {
  std::multiset<std::vector<std::byte>> blocks;
  for (auto from = bytes.begin(); from != bytes.end(); from += length) blocks.emplace(from, from + length);
  return blocks;
}

TEST_P(MpiIoCalls, PutEachBlockAtItsPlace) {
  const BackendBench bench("mpiio", settings());
  const Strided part{group_};
  write_all(*bench, part, path_);
  const auto found = content();
  const auto expected = bytes_at(0, part.file_bytes());
  ASSERT_EQ(found.size(), expected.size());
  if (bench->takes_offsets()) {
    EXPECT_TRUE(found == expected);
  } else {
    EXPECT_TRUE(blocks_of(found, part.length) == blocks_of(expected, part.length));
  }
}

TEST_P(MpiIoCalls, FindWhatIsInTheFile) {
  const BackendBench bench("mpiio", settings());
  const Strided part{group_};
  write_content(bytes_at(0, part.file_bytes()));
  const auto found = read_all(*bench, part, path_);
  if (bench->takes_offsets()) {
    EXPECT_TRUE(found == own_blocks(part));
    return;
  }
  std::vector<std::byte> gathered(static_cast<std::size_t>(part.file_bytes()));
  const int own = static_cast<int>(found.size());
  MPI_Allgather(found.data(), own, MPI_BYTE, gathered.data(), own, MPI_BYTE, group_.handle());
  EXPECT_TRUE(blocks_of(gathered, part.length) == blocks_of(bytes_at(0, part.file_bytes()), part.length));
}

TEST_P(MpiIoCalls, KeepWhatIsInTheFile) {
  const BackendBench bench("mpiio", settings());
  const Strided part{group_};
  const auto before = bytes_at(5, part.file_bytes() + 100);
  write_content(before);
  write_all(*bench, part, path_);
  const auto found = content();
  ASSERT_EQ(found.size(), before.size());
  EXPECT_TRUE(std::equal(found.end() - 100, found.end(), before.end() - 100));
}

TEST_P(MpiIoCalls, SaySoWhereTheFileEndsTooEarly) {
  const TimeLimit limit;
  const BackendBench bench("mpiio", settings());
  const Strided part{group_};
  write_content(bytes_at(0, part.length / 2));
  const std::string fault = thrown<MachineFault>([&] { read_all(*bench, part, path_); });
  // With a shared pointer, the first ranks found the half block, and the others nothing.
  std::string call = "MPI_File_" + GetParam();
  call.replace(call.find("write"), 5, "read");
  EXPECT_THAT(fault, AllOf(HasSubstr(call), HasSubstr(path_), HasSubstr(" bytes"), HasSubstr("the file ends")));
}

// In a separate launch (CMakeLists.txt): failed requests stay pending, and while there are any, Open MPI does not sync
// files.
class ApartMpiIo : public MpiIoCalls {};
class ApartMpiIoShort : public MpiIoCalls {};

TEST_P(ApartMpiIo, SaySoWhereTheDiskIsFull) {
  const TimeLimit limit;
  const SmallDisk disk(group_, 64 << 10);
  if (!disk.mounted()) GTEST_SKIP() << "no small tmpfs may be mounted here: " << disk.mount_error();
  BackendBench bench("mpiio", settings());
  const Strided part{group_, 100'000, 1};
  std::string fault;
  const auto opening = part.opening(disk.file(), Access::write);
  const auto memory = bytes_at(part.offset(0), part.length);
  bench->prepare(opening);
  bench->open(opening);
  fault = thrown<MachineFault>([&] {
    bench->write(part.offset(0), memory);
    bench->wait();
  });
  if (!on_any(!fault.empty())) fault = thrown<MachineFault>([&] { bench->close(); });  // all ranks are present
  EXPECT_TRUE(on_any(fault.find("No space left on device") != std::string::npos)) << fault;
  EXPECT_THAT(fault, AnyOf(IsEmpty(), AllOf(HasSubstr("MPI_File_"), HasSubstr(disk.file()))));
  bench.destroy();
}

TEST_P(MpiIoCalls, AllocateNothingInTransfers) {
  const BackendBench bench("mpiio", settings());
  const Strided part{group_};
  const auto opening = part.opening(path_, Access::write);
  bench->prepare(opening);
  bench->open(opening);
  const auto memory = bytes_at(part.offset(0), part.length);
  const std::int64_t before = allocations();
  for (int k = 0; k < 4; ++k) bench->write(part.offset(0), memory);
  bench->wait();
  EXPECT_EQ(allocations() - before, 0);
  bench->close();
}

const auto calls = testing::Values("write", "write_at", "write_all", "write_at_all", "write_shared", "write_ordered",
                                   "iwrite", "iwrite_at", "iwrite_all", "iwrite_at_all");
std::string name_of(const testing::TestParamInfo<std::string>& call) { return call.param; }
INSTANTIATE_TEST_SUITE_P(All, MpiIoCalls, calls, name_of);
INSTANTIATE_TEST_SUITE_P(All, ApartMpiIo, calls, name_of);

TEST_F(MpiIoStorage, TakesTheKindOfACallNotItsDirection) {
  const BackendBench bench("mpiio", {{"call", "MPI_File_read_at"}});
  EXPECT_FALSE(bench->collective());
  const Strided part{group_};
  write_all(*bench, part, path_);
  EXPECT_TRUE(content() == bytes_at(0, part.file_bytes()));
}

TEST_P(ApartMpiIoShort, WritesAreNoticed) {
  const TimeLimit limit;
  BackendBench bench("mpiio", settings());
  const Strided part{group_, 1000, 1};
  capture::shorten_write();
  const std::string fault = thrown<MachineFault>([&] { write_all(*bench, part, path_); });
  EXPECT_THAT(fault, AllOf(HasSubstr("MPI_File_" + GetParam() + " '" + path_ + "': wrote 999 of 1000 bytes"),
                           HasSubstr("at offset " + std::to_string(part.offset(0)))));
  bench.destroy();
}

INSTANTIATE_TEST_SUITE_P(All, ApartMpiIoShort,
                         testing::Values("write", "write_at", "write_all", "write_at_all", "iwrite", "iwrite_at",
                                         "iwrite_all", "iwrite_at_all"),
                         name_of);

TEST_F(MpiIoStorage, FilesOfOneRankEach) {
  const mpi::Group self = group_.split(group_.rank(), 0);
  const BackendBench bench("mpiio", {});
  const Strided part{self};
  path_ += std::to_string(group_.rank());
  write_all(*bench, part, path_);
  const BackendBench reader("mpiio", {});
  EXPECT_TRUE(read_all(*reader, part, path_) == own_blocks(part));
  EXPECT_TRUE(bench->remove(path_));
  EXPECT_FALSE(bench->remove(path_));
}

TEST_F(MpiIoStorage, NamesCallAndPathAndReasonWhereItCannotOpen) {
  const BackendBench bench("mpiio", {});
  const Strided part{group_};
  const std::string nowhere = path_ + "/no/such";
  EXPECT_THAT(thrown<MachineFault>([&] { write_all(*bench, part, nowhere); }),
              AllOf(HasSubstr("MPI_File_open '" + nowhere + "'"), HasSubstr("No such file or directory")));
  EXPECT_THAT(thrown<MachineFault>([&] { read_all(*bench, part, path_); }), HasSubstr("No such file or directory"));
}

TEST_F(MpiIoStorage, PreallocatesWhenOpened) {
  const BackendBench bench("mpiio", {{"preallocate", ""}});
  const Strided part{group_};
  const auto opening = part.opening(path_, Access::write);
  bench->prepare(opening);
  bench->open(opening);
  EXPECT_EQ(content().size(), static_cast<std::size_t>(part.file_bytes()));
  bench->close();
}

TEST_F(MpiIoStorage, TruncatesWhenOpenedForWriting) {
  const BackendBench bench("mpiio", {{"truncate", ""}});
  const Strided part{group_};
  const auto opening = part.opening(path_, Access::write);
  write_content(bytes_at(5, part.file_bytes() + 100));
  bench->prepare(opening);
  bench->open(opening);
  EXPECT_THAT(content(), IsEmpty());
  bench->close();
  write_all(*bench, part, path_);
  EXPECT_TRUE(read_all(*bench, part, path_) == own_blocks(part)) << "a file that is read is not truncated";
}

TEST_F(MpiIoStorage, PreallocatesWhatItTruncated) {
  const BackendBench bench("mpiio", {{"preallocate", ""}, {"truncate", ""}});
  const Strided part{group_};
  const auto opening = part.opening(path_, Access::write);
  write_content(bytes_at(5, part.file_bytes() + 100));
  bench->prepare(opening);
  bench->open(opening);
  EXPECT_EQ(content().size(), static_cast<std::size_t>(part.file_bytes()));
  bench->close();
}

TEST_F(MpiIoStorage, RefusesToTruncateWhereDataIsNeeded) {
  const Settings truncate{{"truncate", ""}};
  EXPECT_THAT(refused(truncate, {}), IsEmpty());
  EXPECT_THAT(refused(truncate, {.access = Access::read}), HasSubstr("--truncate: nothing is written"));
  EXPECT_THAT(refused(truncate, {.access = Access::both}), HasSubstr("reads and writes are mixed"));
  EXPECT_THAT(refused(truncate, {.grows = true}), HasSubstr("data is appended"));
}

TEST_F(MpiIoStorage, SaysSoWherePreallocationDoesNotFit) {
  const TimeLimit limit;
  const SmallDisk disk(group_, 64 << 10);
  if (!disk.mounted()) GTEST_SKIP() << "no small tmpfs may be mounted here: " << disk.mount_error();
  BackendBench bench("mpiio", {{"preallocate", ""}});
  const Strided part{group_, 1 << 20, 1};
  const auto opening = part.opening(disk.file(), Access::write);
  bench->prepare(opening);
  const std::string fault = thrown<MachineFault>([&] { bench->open(opening); });
  EXPECT_TRUE(on_any(fault.find("MPI_File_preallocate") != std::string::npos)) << fault;
  EXPECT_TRUE(on_any(fault.find("No space left on device") != std::string::npos)) << fault;
  bench.destroy();
}

TEST_F(MpiIoStorage, TellsWhatBecameOfItsHints) {
  const BackendBench bench("mpiio", {{"hint", "cb_nodes=1,no_such_key=7"}, {"stripe-count", "4"}});
  const Strided part{group_};
  write_all(*bench, part, path_);
  const auto notes = bench->notes();
  write_all(*bench, part, path_);
  EXPECT_THAT(bench->notes(), IsEmpty()) << "told already";
  if (group_.rank() != 0) {
    EXPECT_THAT(notes, IsEmpty());
    return;
  }
  EXPECT_THAT(notes, Contains(HasSubstr("hints that the library lists: ")));
  EXPECT_THAT(notes, Contains(AllOf(HasSubstr("hint no_such_key=7"),
                                    HasSubstr(open_mpi ? "Open MPI lists every hint" : "not used"))));
  EXPECT_THAT(notes, Contains(HasSubstr("hint striping_factor=4")));
}

TEST_F(MpiIoStorage, RefusesHintsThatMakeNoSense) {
  EXPECT_THROW(BackendBench("mpiio", {{"hint", "cb_nodes"}}), ParameterMistake);
  EXPECT_THAT(refused({{"hint", "cb_nodes=1,cb_nodes=2"}}, {}), HasSubstr("cb_nodes is given twice"));
  EXPECT_THAT(refused({{"hint", "striping_factor=4"}, {"stripe-count", "8"}}, {}), HasSubstr("given twice"));
  EXPECT_THAT(refused({{"hint", std::string(300, 'k') + "=1"}}, {}), HasSubstr("too long"));
  EXPECT_THAT(refused({{"hint", "cb_nodes=2,cb_buffer_size=8"}, {"stripe-size", "1MiB"}}, {}), IsEmpty());
}

TEST_F(MpiIoStorage, RefusesUnevenTransfersTogether) {
  const AccessRequirements uneven{.even_transfers = false};
  for (const char* call : {"write_all", "write_at_all", "write_ordered", "iwrite_all", "iwrite_at_all"}) {
    EXPECT_THAT(refused({{"call", std::string("MPI_File_") + call}}, uneven),
                AllOf(HasSubstr(call), HasSubstr("use independent calls such as MPI_File_write_at")));
  }
  for (const char* call : {"write", "write_at", "write_shared", "iwrite", "iwrite_at"}) {
    EXPECT_THAT(refused({{"call", std::string("MPI_File_") + call}}, uneven), IsEmpty());
  }
}

TEST_F(MpiIoStorage, RefusesSharedPointersWherePlacesMatter) {
  const Settings shared{{"call", "MPI_File_write_shared"}};
  EXPECT_THAT(refused(shared, {.grows = true}), HasSubstr("beginning of a file"));
  EXPECT_THAT(refused(shared, {.any_order = true}), HasSubstr("only moves forward"));
  EXPECT_THAT(refused(shared, {.access = Access::both}), HasSubstr("the same file pointer"));
  EXPECT_THAT(refused(shared, {.access = Access::read}), IsEmpty());
  EXPECT_THAT(refused({{"call", "MPI_File_write_at"}}, {.access = Access::both, .any_order = true}), IsEmpty());
}

TEST_F(MpiIoStorage, RefusesOptionsThatDoNothing) {
  EXPECT_THAT(refused({{"call", "MPI_File_write_at"}, {"in-flight", "4"}}, {}), HasSubstr("MPI_File_iwrite_at"));
  EXPECT_THAT(refused({{"preallocate", ""}}, {.access = Access::read}), HasSubstr("nothing is written"));
  EXPECT_THROW(BackendBench("mpiio", {{"in-flight", "65537"}}), ParameterMistake);
  EXPECT_THROW(BackendBench("mpiio", {{"in-flight", "0"}}), ParameterMistake);
}

TEST_F(MpiIoStorage, RefusesTransfersLongerThanAnMpiCountSays) {
  const BackendBench bench("mpiio", {});
  const std::int64_t longer = std::int64_t{1} << 31;
  EXPECT_THAT(thrown<ParameterMistake>([&] {
                bench->prepare({path_, Access::write, &group_, longer, longer});
              }),
              HasSubstr("2147483647"));
}

}  // namespace
}  // namespace stressbench::test
