// "Did you mean ...?": the nearest of the names that would have been right.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stressbench {

// The candidate with the smallest edit distance to `wrong`, ignoring case; none when even that one is far off (more
// than a third of its letters and more than 2 edits away, or nothing in common). A swap of neighbours is one edit.
// O(|wrong| x |candidate|) each.
std::optional<std::string> nearest(std::string_view wrong, const std::vector<std::string>& candidates);

// "halo2d" and halo2D are the same motif.
std::string lower_case(std::string_view text);

}  // namespace stressbench
