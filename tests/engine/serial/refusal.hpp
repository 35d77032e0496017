// Options that a motif refuses before anything starts, and the messages.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "motifs/motif.hpp"

namespace stressbench {

struct Refusal {
  std::string motif;
  std::vector<std::pair<std::string, std::string>> options;
  int ranks;
  std::string parameter;
  std::string message;
  friend void PrintTo(const Refusal& r, std::ostream* out) {
    *out << r.motif << " on " << r.ranks;
    for (const auto& [option, text] : r.options) *out << ' ' << option << '=' << text;
  }
};

inline void configure_and_check(const Refusal& refusal, int ranks) {
  const auto motif = MotifCatalogue::instance().make(refusal.motif);
  ASSERT_NE(motif, nullptr);
  for (const auto& [option, text] : refusal.options) motif->find(option)->parse(text);
  motif->check(ranks);
}

inline void expect_refusal(const Refusal& refusal) {
  try {
    configure_and_check(refusal, refusal.ranks);
    ADD_FAILURE() << "was not refused";
  } catch (const ParameterMistake& mistake) {
    EXPECT_EQ(mistake.parameter(), refusal.parameter);
    EXPECT_THAT(mistake.what(), testing::HasSubstr(refusal.message));
  }
}

}  // namespace stressbench
