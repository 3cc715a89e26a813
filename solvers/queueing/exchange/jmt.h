#pragma once
#include <string>
#include <string_view>

#include "core/format/model_file.h"

namespace ergode {

/// A model of the Java Modelling Tools (Bertoli, Casale and Serazzi, JMT: performance engineering tools for system
/// modeling, ACM SIGMETRICS Perform. Eval. Rev. 36(4), 2009) or a net in the Petri Net Markup Language, whichever the
/// root of the file says:
///
/// * `sim` (`.jsimg`, `.jsim`): sources, sinks, queues, delays, routers, class switches, forks and joins, semaphores,
///   scalers, loggers, places and transitions, capacity regions. Names become identifiers ("Queue 1" is Queue_1). Every
///   station is measured for every class, under `<measure>/<station>/<class>`. The mission is as long as some 10^5
///   customers take.
/// * `model` (`.jmva`): stations with demands and visits (1 where nothing is said of them), up to 50,000 pairs of a
///   station and a class. Visits are drawn as chances at a router, so that as many are made in the mean; stations share
///   their servers, as the product form assumes.
/// * `pnml` (ISO/IEC 15909-2): places with tokens, transitions with a mean time of 1 s, arcs with their weights. An
///   inhibitor arc of a place with a capacity holds back each transition that would bring more.
///
/// @param text  XML as read_xml() takes it
/// @returns no document where it is no such file (JMT001, PNM001); JMT002, PNM002, an error, for each thing that does
///     not map and would change what the model does, and for each number that is none or out of its range, with what is
///     seen and what is wanted; JMT003, a remark, PNM003, a warning, for what is left out without changing it. Every
///     parameter of every section is read, or at what it is where nothing is chosen, or told.
ReadOutcome import_network(std::string_view text, const std::string& name);

}  // namespace ergode
