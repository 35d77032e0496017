#include "grammar.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

namespace stressbench::trace {
namespace {

using Symbols = std::vector<std::pair<std::int64_t, std::uint32_t>>;
using testing::ElementsAre;
using testing::Pair;
using testing::SizeIs;

std::unique_ptr<Grammar> grammar_of(const std::vector<Grammar::Index>& calls) {
  auto grammar = std::make_unique<Grammar>();
  grammar->start();
  for (const Grammar::Index call : calls) grammar->append(call);
  return grammar;
}

std::vector<Symbols> rules_of(const Grammar& grammar) {
  std::vector<Symbols> rules;
  grammar.list([&] { rules.emplace_back(); },
               [&](std::int64_t symbol, std::uint32_t times) { rules.back().emplace_back(symbol, times); });
  return rules;
}

void expand(const std::vector<Symbols>& rules, std::size_t rule, std::vector<Grammar::Index>& calls) {
  for (const auto& [symbol, times] : rules[rule]) {
    for (std::uint32_t k = 0; k < times; ++k) {
      if (symbol >= 0) {
        calls.push_back(static_cast<Grammar::Index>(symbol));
      } else {
        expand(rules, static_cast<std::size_t>(-symbol), calls);
      }
    }
  }
}

// Random calls, repeated passages and loops: what programs do, with few different calls so that much of it collides.
std::vector<Grammar::Index> made_up(std::mt19937& random) {
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random()) % end; };
  const std::size_t different = 1 + below(5);
  const std::size_t wanted = below(300);
  std::vector<Grammar::Index> calls;
  while (calls.size() < wanted) {
    std::vector<Grammar::Index> passage(1 + below(12));
    for (Grammar::Index& call : passage) call = static_cast<Grammar::Index>(below(different));
    if (!calls.empty() && below(3) == 0) {
      const std::size_t from = below(calls.size());
      passage.assign(calls.begin() + static_cast<std::ptrdiff_t>(from), calls.end());
    }
    for (std::size_t times = 1 + below(6); times > 0; --times)
      calls.insert(calls.end(), passage.begin(), passage.end());
  }
  return calls;
}

TEST(Grammar, keeps_every_call_in_order) {
  std::mt19937 random{1};
  for (int trial = 0; trial < 500; ++trial) {
    const std::vector<Grammar::Index> calls = made_up(random);
    const auto grammar = grammar_of(calls);
    std::vector<Grammar::Index> found;
    expand(rules_of(*grammar), 0, found);
    ASSERT_EQ(found, calls) << "trial " << trial;
    ASSERT_EQ(grammar->length(), calls.size());
  }
}

TEST(Grammar, a_pass_that_breaks_off_is_kept_up_to_its_last_call) {
  std::vector<Grammar::Index> calls;
  for (int i = 0; i < 10; ++i) calls.insert(calls.end(), {0, 1, 2, 3});
  calls.insert(calls.end(), {0, 1});
  EXPECT_THAT(rules_of(*grammar_of(calls)), ElementsAre(ElementsAre(Pair(-1, 10), Pair(0, 1), Pair(1, 1)),
                                                        ElementsAre(Pair(0, 1), Pair(1, 1), Pair(2, 1), Pair(3, 1))));
  calls.insert(calls.end(), {1, 1});
  std::vector<Grammar::Index> found;
  expand(rules_of(*grammar_of(calls)), 0, found);
  EXPECT_EQ(found, calls);
}

TEST(Grammar, a_loop_longer_than_what_is_kept_of_a_pass_is_still_a_rule_and_its_count) {
  std::vector<Grammar::Index> calls;
  for (int i = 0; i < 5; ++i) {
    for (Grammar::Index k = 0; k < 20000; ++k) calls.push_back(k);
  }
  const auto rules = rules_of(*grammar_of(calls));
  std::vector<Grammar::Index> found;
  expand(rules, 0, found);
  EXPECT_EQ(found, calls);
  EXPECT_THAT(rules[0], SizeIs(testing::Le(3U)));
}

TEST(Grammar, deeply_nested_loops_are_kept) {
  std::vector<Grammar::Index> calls{0};
  for (Grammar::Index depth = 1; depth <= 16; ++depth) {  // x -> x x depth
    const std::vector<Grammar::Index> body = calls;
    calls.insert(calls.end(), body.begin(), body.end());
    calls.push_back(depth);
  }
  const std::vector<Grammar::Index> once = calls;
  calls.insert(calls.end(), once.begin(), once.end());
  std::vector<Grammar::Index> found;
  expand(rules_of(*grammar_of(calls)), 0, found);
  EXPECT_EQ(found, calls);
}

TEST(Grammar, a_run_of_one_call_is_one_symbol) {
  const auto grammar = grammar_of(std::vector<Grammar::Index>(1000, 7));
  EXPECT_THAT(rules_of(*grammar), ElementsAre(ElementsAre(Pair(7, 1000))));
}

TEST(Grammar, a_loop_is_a_rule_and_its_count) {
  std::vector<Grammar::Index> calls{9};
  for (int i = 0; i < 1000; ++i) calls.insert(calls.end(), {0, 1, 2, 1});
  calls.push_back(8);
  EXPECT_THAT(rules_of(*grammar_of(calls)), ElementsAre(ElementsAre(Pair(9, 1), Pair(-1, 1000), Pair(8, 1)),
                                                        ElementsAre(Pair(0, 1), Pair(1, 1), Pair(2, 1), Pair(1, 1))));
}

TEST(Grammar, nested_loops_take_as_many_symbols_as_their_bodies) {
  std::vector<Grammar::Index> calls;
  for (int outer = 0; outer < 200; ++outer) {
    for (int inner = 0; inner < 50; ++inner) calls.insert(calls.end(), {0, 1, 2});
    calls.push_back(3);
  }
  std::size_t symbols = 0;
  for (const Symbols& rule : rules_of(*grammar_of(calls))) symbols += rule.size();
  EXPECT_LE(symbols, 8U);
}

TEST(Grammar, stops_when_it_is_full_and_says_so) {
  auto grammar = std::make_unique<Grammar>();
  grammar->start();
  std::mt19937 random{2};
  for (Grammar::Index k = 0; k < 2 * Grammar::max_nodes && !grammar->full(); ++k)
    grammar->append(random() % (1U << 20U));
  EXPECT_TRUE(grammar->full());
  const std::uint64_t length = grammar->length();
  grammar->append(1);
  EXPECT_EQ(grammar->length(), length);
}

}  // namespace
}  // namespace stressbench::trace
