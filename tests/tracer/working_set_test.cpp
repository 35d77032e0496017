// The kernel counts the pages that were used since a moment.
#include "working_set.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstring>

namespace stressbench::trace {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

class Memory {
 public:
  explicit Memory(std::size_t size)
      : size_(size),
        bytes_(static_cast<char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { munmap(bytes_, size_); }
  void use(std::size_t length) noexcept { std::memset(bytes_, 1, length); }

 private:
  std::size_t size_;
  char* bytes_;
};

TEST(WorkingSet, is_what_was_used_since_it_began) {
  working_set::count_small_pages();
  Memory memory(64 * mebibyte);
  memory.use(64 * mebibyte);
  ASSERT_TRUE(working_set::begin());
  const std::int64_t of_nothing = working_set::end_bytes();
  ASSERT_GE(of_nothing, 0);
  EXPECT_LT(of_nothing, 4 * mebibyte);

  ASSERT_TRUE(working_set::begin());
  memory.use(16 * mebibyte);
  const std::int64_t of_16 = working_set::end_bytes();
  EXPECT_GE(of_16, 16 * mebibyte);
  EXPECT_LT(of_16, 16 * mebibyte + of_nothing + mebibyte);
}

TEST(WorkingSet, of_memory_of_a_file_does_not_count) {
  char* const mapped =
      static_cast<char*>(mmap(nullptr, 32 * mebibyte, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(mapped, MAP_FAILED);
  ASSERT_TRUE(working_set::begin());
  std::memset(mapped, 1, 32 * mebibyte);
  EXPECT_LT(working_set::end_bytes(), 8 * mebibyte);
  munmap(mapped, 32 * mebibyte);
}

}  // namespace
}  // namespace stressbench::trace
