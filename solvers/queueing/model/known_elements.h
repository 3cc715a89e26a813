#pragma once
#include <cstdint>
#include <string>

#include "core/base/diagnostic.h"
#include "solvers/queueing/model/network_model.h"

namespace ergode {

constexpr std::uint32_t bit_of(NetworkModel::Kind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr std::uint32_t bit_of(NetworkModel::Discipline discipline) { return 1U << static_cast<unsigned>(discipline); }

/// Order of arrival, the last first, at random: means do not look at who waits.
constexpr std::uint32_t blind_disciplines = bit_of(NetworkModel::Discipline::fcfs) |
                                            bit_of(NetworkModel::Discipline::lcfs) |
                                            bit_of(NetworkModel::Discipline::siro);

/// What a solver takes of all that may be drawn. Whatever is not named is refused, so what is new is refused by every
/// solver until it has learned it. Sources, stations, delays, routers, loggers and sinks every solver knows.
struct KnownElements {
  std::uint32_t kinds = 0;         ///< bits of nodes besides
  std::uint32_t disciplines = 0;   ///< bits
  std::uint32_t features = 0;      ///< NetworkModel::Feature: patient, balks, varies_speed, prioritises ...
  bool capacities = false;         ///< of stations, that turn customers away
  bool batches_come = false;       ///< several customers of a source at once
  bool choices = false;            ///< ways by numbers of customers, or in turn
  bool changing = false;           ///< rates of sources and probabilities of ways that expressions over slots give
  bool memory = false;             ///< gaps of sources that depend on those before: MAP, bursts, traces
  bool times_with_memory = false;  ///< services and stays that do: MAP
  bool class_changes = false;
  bool regions = false;
};

/// Adds a SOL001 at an element, once.
void refuse(Diagnostics& reasons, ElementId element, std::string why);
/// Whether there is a reason at an element.
bool refused(const Diagnostics& reasons, ElementId element);

/// Adds a SOL001 for everything in a model that is not known, at its element: nodes to which somebody comes, and
/// regions.
/// @returns whether there are nodes of kinds that are not known, or regions: what else could be said of the network
///     then would be guesses
bool refuse_unknown(const NetworkModel& model, const KnownElements& known, Diagnostics& reasons);

}  // namespace ergode
