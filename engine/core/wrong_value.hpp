// Exception for an invalid value in a file.
#pragma once

#include "core/error.hpp"

namespace stressbench {

// The message lacks file name and line; the caller that knows them adds them.
class WrongValue : public UserMistake {
 public:
  using UserMistake::UserMistake;
};

}  // namespace stressbench
