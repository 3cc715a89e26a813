#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/des/lowering.h"

namespace ergode {

/// The notation's way into the model: names, slots, streams, checks (QN001 ...), and a part of the loop. For
/// register_lowering().
std::unique_ptr<NotationLowering> network_lowering();

/// Of a source's time between two, and of services and delays, where nothing is written: half the load of one server.
inline constexpr const char *default_gap = "exponential(mean = 2 s)", *default_time = "exponential(mean = 1 s)";

/// What an expression may read of a node of this kind, as NAME.WORD: "number", "waiting", ... Empty: nothing.
std::vector<std::string> slots_of_kind(std::string_view kind);
/// Of these what is counted by class too where there are several, as NAME.WORD.CLASS.
std::vector<std::string> slots_by_class_of_kind(std::string_view kind);
/// What it observes, as NAME.WORD: "response_time".
std::vector<std::string> streams_of_kind(std::string_view kind);
/// What is observed of all networks together, as paths: system.response_time. A node called so hides them.
std::vector<std::vector<std::string>> streams_of_system();

}  // namespace ergode
