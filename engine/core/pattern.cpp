#include "core/pattern.hpp"

namespace stressbench {

std::string_view name_of(Family family) noexcept {
  switch (family) {
    case Family::point_to_point:
      return "point_to_point";
    case Family::collective:
      return "collective";
    case Family::application:
      return "application";
    case Family::storage:
      return "storage";
    case Family::machine_learning:
      return "machine_learning";
    case Family::probe:
      return "probe";
    case Family::suite:
      return "suite";
  }
  return "unknown";
}

}  // namespace stressbench
