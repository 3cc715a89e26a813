#pragma once
#include "statecharts/exchange/scxml_writer.h"

namespace ergode {

/// Writes a statechart diagram as a C++ program of its own on Boost.Statechart: it reads names of events, one a line,
/// from standard input or takes them as arguments, and prints the active states without active states inside, sorted,
/// at the start and after each event.
///
/// Refused, each with the element: what Boost.Statechart or an untimed program cannot say: clocks, delays and
/// probabilities; one event on which two orthogonal regions react, because only the first would; deep history above
/// orthogonal states; history, choices and targets of other kinds named in the diagnostics.
ExportedText write_boost_statechart(const Document& document, const Element& diagram);

}  // namespace ergode
