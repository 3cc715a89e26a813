#pragma once
#include <vector>

#include "core/catalogue/element_figure.h"
#include "core/document/document.h"

namespace ergode {

/// Utilisation, mean number, throughput and mean response time of a station; without the first of a delay
/// (KindSpec::figures).
std::vector<ElementFigure> station_figures(const Document& document, const Element& station);
std::vector<ElementFigure> delay_figures(const Document& document, const Element& delay);
/// Throughput and mean time from end to end: of those who leave at a sink, and of the customers of a class wherever
/// they leave, or end a passage.
std::vector<ElementFigure> sink_figures(const Document& document, const Element& sink);
std::vector<ElementFigure> class_figures(const Document& document, const Element& job_class);

}  // namespace ergode
