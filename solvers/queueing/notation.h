#pragma once
#include "core/catalogue/catalogue.h"

namespace ergode {

/// Queueing networks: sources, stations (a queue before servers), delays, routers, sinks, joined by the flows of
/// customers, and the classes that customers may be of.
///
/// An expression of any diagram reads of a station NAME.number (customers in it, waiting or served), NAME.waiting,
/// NAME.busy (servers at work), NAME.lost (turned away); of a delay NAME.number; of a source NAME.emitted; of a sink
/// NAME.arrived. Measures ask for the streams NAME.response_time and NAME.waiting_time of stations and delays, and
/// NAME.time_in_system of sinks, each by class. What runs is in running_network.h.
/// Terms as in Lazowska, Zahorjan, Graham and Sevcik, Quantitative System Performance, 1984.
NotationSpec queueing_notation();

}  // namespace ergode
