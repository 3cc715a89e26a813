#pragma once
#include <sys/resource.h>

namespace ergode::test {

/// Most memory that this process has had so far [kB]. It never falls: growth is what something needed beyond all
/// before.
inline long peak_kilobytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

}  // namespace ergode::test
