#pragma once
#include <vector>

#include "core/catalogue/element_figure.h"
#include "core/document/document.h"

namespace ergode {

/// Numbers that a run gives of a stream of jobs, a rental, a pool of hosts or a provisioner, and the measures that ask
/// for them (KindSpec::figures).
std::vector<ElementFigure> job_stream_figures(const Document& document, const Element& stream);
std::vector<ElementFigure> rental_figures(const Document& document, const Element& rental);
std::vector<ElementFigure> host_pool_figures(const Document& document, const Element& pool);
std::vector<ElementFigure> provisioner_figures(const Document& document, const Element& provisioner);

}  // namespace ergode
