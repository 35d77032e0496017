// "Did you mean ...?": the valid name nearest to a wrong one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stressbench {

// The candidate with the smallest edit distance to `wrong`, ignoring case. None if that distance is more than a third
// of its letters and more than 2 edits, or if nothing is in common. A swap of adjacent letters is one edit.
// O(|wrong| x |candidate|) per candidate.
std::optional<std::string> nearest(std::string_view wrong, const std::vector<std::string>& candidates);

// The text in lower case (ASCII): "halo2d" and "halo2D" are the same motif.
std::string lower_case(std::string_view text);

}  // namespace stressbench
