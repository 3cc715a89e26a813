#include "solvers/cluster/notation_figures.h"

namespace ergode {
namespace {

ElementFigure average(const std::string& name, const char* word, const char* label, const char* symbol) {
  const std::string slot = name + "." + word;
  return {.key = word,
          .label = label,
          .symbol = symbol,
          .measure = {{"name", name + "_" + word},
                      {"label", std::string(label) + " of " + name},
                      {"type", "time_average"},
                      {"expression", slot}},
          .answers = {{.expression = slot}, {.results = word + std::string("/") + name}}};
}

}  // namespace

std::vector<ElementFigure> job_stream_figures(const Document&, const Element& stream) {
  return {average(stream.name(), "jobs", "Mean jobs", "N"),
          average(stream.name(), "gpus", "Mean GPUs", "K"),
          {.key = "response_time",
           .label = "Mean response time",
           .symbol = "T",
           .answers = {{.results = "mean_response_time/" + stream.name()}}}};
}

std::vector<ElementFigure> rental_figures(const Document& document, const Element& rental) {
  const std::string time = rental.name() + ".response_time";
  return {average(rental.name(), "gpus", "Mean GPUs", "K"),
          average(rental.name(), "jobs", "Mean jobs", "N"),
          {.key = "response_time",
           .label = "Mean response time",
           .symbol = "T",
           .measure = {{"name", rental.name() + "_response_time"},
                       {"label", "Mean response time at " + rental.name()},
                       {"type", "observed_mean"},
                       {"of", time},
                       {"unit", document.model().text("time_unit", "h")}},
           .answers = {{.stream = time}}}};
}

}  // namespace ergode
