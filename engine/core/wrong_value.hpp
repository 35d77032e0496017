// What readers of files throw for a value that may not stand where it does.
#pragma once

#include "core/error.hpp"

namespace stressbench {

// Whoever knows the file's name and line adds them.
class WrongValue : public UserMistake {
 public:
  using UserMistake::UserMistake;
};

}  // namespace stressbench
