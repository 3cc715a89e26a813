#pragma once
#include <vector>

#include "core/catalogue/element_figure.h"
#include "core/document/document.h"

namespace ergode {

/// Numbers that a run gives of a stream of jobs, or of a rental, and the measures that ask for them
/// (KindSpec::figures).
std::vector<ElementFigure> job_stream_figures(const Document& document, const Element& stream);
std::vector<ElementFigure> rental_figures(const Document& document, const Element& rental);

}  // namespace ergode
