#include "core/report/report_figures.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace ergode {
namespace {

PlotSeries plotted(const Series& s, const std::string& label, bool reference) {
  PlotSeries out;
  out.label = label;
  out.x = s.x;
  out.y = s.y;
  out.lower = s.lower;
  out.upper = s.upper;
  out.reference = reference;
  out.steps = s.kind == "distribution" && !s.exact;
  return out;
}

}  // namespace

std::string count_text(std::uint64_t n) {
  const std::string digits = std::to_string(n);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

const MeasureResult* exact_counterpart(const std::vector<ResultSet>& results, const std::string& measure) {
  for (const ResultSet& r : results)
    for (const MeasureResult& m : r.measures)
      if (m.id == measure && m.exact && m.not_available.empty() && std::isfinite(m.estimate)) return &m;
  return nullptr;
}

std::optional<Picture> series_figure(const std::vector<ResultSet>& results, const std::string& measure,
                                     const std::string& kind) {
  if (results.empty()) return std::nullopt;
  const ResultSet& main = results.front();
  PlotSpec spec;
  for (const Series& s : main.series) {
    if (s.measure != measure || s.kind != kind) continue;
    spec.x_label = s.x_label;
    spec.x_unit = s.x_unit;
    spec.y_label = s.y_label.empty() ? s.label : s.y_label;
    spec.y_unit = s.y_unit;
    spec.series.push_back(plotted(s, s.exact ? "exact (" + s.solver + ")" : "estimate (" + s.solver + ")", s.exact));
  }
  if (spec.series.empty()) return std::nullopt;
  for (std::size_t i = 1; i < results.size(); ++i)
    for (const Series& s : results[i].series)
      if (s.measure == measure && s.kind == kind && s.exact)
        spec.series.push_back(plotted(s, "exact (" + s.solver + ")", true));
  double confidence = 0.95;
  for (const MeasureResult& m : main.measures)
    if (m.id == measure) confidence = m.confidence;
  spec.band_label = number_text(100 * confidence, 4) + " % interval";
  if (kind == "convergence") {
    spec.settling = 0.1;
    const MeasureResult* exact = exact_counterpart(results, measure);
    const PlotSeries& run = spec.series.front();
    if (exact != nullptr && !run.x.empty()) {
      PlotSeries line;
      line.label = "exact (" + exact->solver + ")";
      line.x = {run.x.front(), run.x.back()};
      line.y = {exact->estimate, exact->estimate};
      line.reference = true;
      spec.series.push_back(line);
    }
  }
  spec.caption = main.replications > 0 ? "n = " + count_text(main.replications) + " replications, seed " +
                                             std::to_string(main.provenance.seed)
                                       : "no sampling: exact solution";
  return draw_plot(spec);
}

Picture cause_figure(const std::vector<CauseBar>& bars) {
  constexpr double width = 660, row = 26, bar_height = 16;
  constexpr Font font{11.5};
  double left = 60;
  for (const CauseBar& b : bars) left = std::max(left, text_width(b.label, font) + 14);
  left = std::min(left, width * 0.45);
  const double room = width - left - 16;
  struct Part {
    const char* name;
    double CauseBar::*share;
    Role role;
  };
  const Part parts[] = {{"independent", &CauseBar::independent, Role::series_0},
                        {"non-lethal shock", &CauseBar::non_lethal, Role::series_1},
                        {"lethal shock", &CauseBar::lethal, Role::series_3},
                        {"none", &CauseBar::none, Role::grid}};
  Picture out;
  double x = left;
  for (const Part& part : parts) {
    if (part.share == &CauseBar::none &&
        std::none_of(bars.begin(), bars.end(), [](const CauseBar& b) { return b.none > 0; }))
      continue;
    out.rectangle({}, {x, 6, 14, 11}, 0, Role::node_border, part.role).line_width = 0.8;
    out.words({}, {x + 20, 15.5}, part.name, font, Role::text);
    x += 40 + text_width(part.name, font);
  }
  double y = 28;
  for (const CauseBar& b : bars) {
    out.words({}, {left - 8, y + bar_height - 4}, elided(b.label, font, left - 12), font, Role::text, Anchor::end);
    const double total = b.independent + b.non_lethal + b.lethal + b.none;
    x = left;
    for (const Part& part : parts) {
      const double share = total > 0 ? b.*part.share / total : 0.0, w = share * room;
      if (share <= 0) continue;
      out.rectangle({}, {x, y, w, bar_height}, 0, Role::node_border, part.role).line_width = 0.8;
      const std::string text = number_text(100 * share, share >= 0.0995 ? 3 : 2) + " %";
      const double text_room = text_width(text, font) + 8;
      if (w > text_room) {
        out.rectangle({}, {x + (w - text_room) / 2, y + 1.5, text_room, bar_height - 3}, 2, Role::none, Role::canvas)
            .fill_opacity = 0.88;
        out.words({}, {x + w / 2, y + bar_height - 4}, text, font, Role::text, Anchor::middle);
      }
      x += w;
    }
    if (total <= 0) out.words({}, {left, y + bar_height - 4}, "the event never occurred", font, Role::muted);
    y += row;
  }
  out.view = {0, 0, width, y + 2};
  return out;
}

}  // namespace ergode
