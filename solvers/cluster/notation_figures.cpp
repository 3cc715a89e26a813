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

ElementFigure observed_mean(const Document& document, const std::string& name, const std::string& word,
                            const std::string& label, const char* symbol) {
  const std::string stream = name + "." + word;
  return {.key = word,
          .label = label,
          .symbol = symbol,
          .measure = {{"name", name + "_" + word},
                      {"label", label + " at " + name},
                      {"type", "observed_mean"},
                      {"of", stream},
                      {"unit", document.model().text("time_unit", "h")}},
          .answers = {{.stream = stream}}};
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

std::vector<ElementFigure> host_pool_figures(const Document& document, const Element& pool) {
  std::vector<ElementFigure> out = {average(pool.name(), "busy", "Mean hosts in use", "B"),
                                    average(pool.name(), "waiting", "Mean jobs waiting", "Q"),
                                    observed_mean(document, pool.name(), "wait", "Mean wait", "W"),
                                    observed_mean(document, pool.name(), "response_time", "Mean response time", "T")};
  if (!pool.text("failure").empty() || !pool.text("up_while").empty())
    out.push_back(average(pool.name(), "up", "Mean hosts up", "A"));
  return out;
}

std::vector<ElementFigure> provisioner_figures(const Document& document, const Element& provisioner) {
  return {observed_mean(document, provisioner.name(), "interruption", "Mean interruption", "I"),
          observed_mean(document, provisioner.name(), "overlap", "Mean overlap", "O")};
}

std::vector<ElementFigure> rental_figures(const Document& document, const Element& rental) {
  return {average(rental.name(), "gpus", "Mean GPUs", "K"), average(rental.name(), "jobs", "Mean jobs", "N"),
          observed_mean(document, rental.name(), "response_time", "Mean response time", "T")};
}

}  // namespace ergode
