#pragma once
#include <string>

#include "core/base/diagnostic.h"

namespace ergode {

/// What becomes of a run of a model in which more work comes to some place than can be done there: its queue grows
/// without end, so means in the long run are none, though its beginning may be what somebody studies.
enum class OverloadPolicy {
  ask,     ///< whoever sits there is asked first
  run,     ///< run with a warning
  refuse,  ///< not run
};
/// "ask", "run", "refuse". Static.
const char* to_text(OverloadPolicy policy);
/// @returns ask for any other word
OverloadPolicy overload_policy(const std::string& word);

/// Those of what the check found that tell of such places (QN010), in its order. O(list).
Diagnostics overloads_among(const Diagnostics& problems);
/// The same in one text: the first three sentences, and how many more there are. Empty where there are none.
std::string overload_text(const Diagnostics& overloads);

}  // namespace ergode
