#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/des/lowering.h"

namespace ergode {

/// The way of schedulers of iterations into the model: names, slots, streams, checks, and a part of the loop.
///
/// ITR001 a name, ITR002 a value out of its range, ITR003 a file that is not named or cannot be read, ITR011 rows of
/// it, ITR012 jobs that cannot be run here.
std::unique_ptr<NotationLowering> iteration_lowering();

/// What an expression may read of a scheduler of iterations, as NAME.WORD, and what it observes; empty for other kinds.
std::vector<std::string> iteration_slots_of_kind(std::string_view kind);
std::vector<std::string> iteration_streams_of_kind(std::string_view kind);

}  // namespace ergode
