#pragma once
#include "statecharts/exchange/scxml_writer.h"

namespace ergode {

/// Writes a statechart diagram as a C++ program of its own on Boost.Statechart: it reads names of events, one a line,
/// from standard input or takes them as arguments, and prints the active states without active states inside, sorted,
/// at the start and after each event.
///
/// Refused, each with the element: what Boost.Statechart or an untimed program cannot say: clocks, delays and
/// probabilities; one event on which two orthogonal regions react, because only the first would; deep history above
/// orthogonal states; history, choices and targets of other kinds named in the diagnostics (SCX201, errors, for which
/// there is no text); also more than 50 events that leave one state, the limit of the type lists the program sets.
/// `record(...)` is left out (SCX203, info). A statechart that does not lower gives the errors of the lowering.
///
/// The program needs the headers of Boost.Statechart and C++17 and no library; compiled with ERGODE_NO_MAIN it has no
/// main(). It ends with code 2 when the chart does not come to rest within 1,000,000 steps after an event. Quantities
/// are written as numbers in SI. Andreas Huber, "The Boost Statechart Library", rationale, for its semantics.
/// @param diagram  of notation `statechart` in this document.
ExportedText write_boost_statechart(const Document& document, const Element& diagram);

}  // namespace ergode
