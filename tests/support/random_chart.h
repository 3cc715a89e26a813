#pragma once
#include <random>
#include <string>

#include "tests/support/scxml_oracle.h"

namespace ergode::test {

/// What a random chart may have. Drawn anew for each chart, so that plain charts turn up as well as full ones.
struct ChartTraits {
  bool parallels = true, histories = true, finals = true, data = true, guards = true, content = true, sends = true;
  bool internals = true, eventless = true, several_targets = true, errors = true, descriptors = true;
  bool early_events = true;  ///< _event is read where there may not have been one
  int states = 12;           ///< about as many, histories and final states not counted
};
/// Each trait with a chance of its own.
ChartTraits random_traits(std::mt19937& random);

/// A legal SCXML chart with these elements in any combination: composite and parallel states, nested too; shallow and
/// deep histories, whose defaults may lead to histories further in; final states; internal, external, targetless and
/// eventless transitions; several targets, of initial transitions too; guards with In(), numbers and the event's name;
/// raise, send (delayed, with a value, cancelled), assign, if, foreach; expressions that fail; event descriptors of
/// several words, prefixes and wildcards.
///
/// Left out, because statecharts/README.md ("Unlike SCXML") gives it another meaning:
/// - a transition to the history of a state that is strictly around its source;
/// - exit actions of a final state of the document, which SCXML runs when the interpreter ends.
/// Left out as well, because the Recommendation leaves open what happens: names of variables that are declared by
/// foreach alone.
///
/// Ids are "s1", "h2", "f3" with the state's number. The same generator state gives the same chart with any standard
/// library: only the engine is used, none of the distributions, which differ between them.
oracle::Chart random_chart(std::mt19937& random, const ChartTraits& traits);

/// An event as the outside gives it to such a chart: one of nine names, of one to three words; `a`, `b` and `c` are the
/// likely ones. Not every chart waits for each.
std::string random_event(std::mt19937& random);

}  // namespace ergode::test
