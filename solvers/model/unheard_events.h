#pragma once
#include "core/base/diagnostic.h"
#include "core/des/event_names.h"
#include "core/document/document.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// SYS007 (warning) for each event that an element raises (EventNames::raised), where no transition of any chart and
/// no other element waits for it (EventNames::heard) and no measure counts it, with the nearest name that is waited
/// for. What charts raise themselves is not told of: their documents may be written for others. O(transitions) for each
/// such event.
void warn_of_unheard_events(const Document& document, const EventNames& events, const AnalysisModel& model,
                            Diagnostics& problems);

}  // namespace ergode
