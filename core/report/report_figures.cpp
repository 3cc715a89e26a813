#include "core/report/report_figures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/text.h"
#include "core/drawing/result_style.h"
#include "core/results/answer.h"

namespace ergode {
namespace {

PlotSeries plotted(const Series& s, Answer answer) {
  PlotSeries out;
  out.label = answer_label(answer, s.solver);
  out.x = s.x;
  out.y = s.y;
  out.lower = s.lower;
  out.upper = s.upper;
  out.role = answer_style(answer).role;
  out.dash = answer_style(answer).dash;
  out.steps = s.kind == "distribution" && !s.exact;
  return out;
}

/// A value that does not depend on x, as a line across the plot.
PlotSeries level(const MeasureResult& m, Answer answer, const PlotSeries& across) {
  Series line;
  line.solver = m.solver;
  line.x = {across.x.front(), across.x.back()};
  line.y = {m.estimate, m.estimate};
  if (answer == Answer::bounds) line.lower = {m.lower, m.lower}, line.upper = {m.upper, m.upper};
  PlotSeries out = plotted(line, answer);
  out.sets_range = answer != Answer::long_run;
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
      if (m.id == measure && comparable(m, r.long_run, results.front())) return &m;
  return nullptr;
}

const MeasureResult* long_run_counterpart(const std::vector<ResultSet>& results, const std::string& measure) {
  for (const ResultSet& r : results)
    if (const MeasureResult* m = r.long_run ? r.measure(measure) : nullptr)
      if (m->answered()) return m;
  return nullptr;
}

std::optional<Picture> series_figure(const std::vector<ResultSet>& results, const std::string& measure,
                                     const std::string& kind, const std::string& title) {
  if (results.empty()) return std::nullopt;
  const ResultSet& main = results.front();
  const MeasureResult* m = main.measure(measure);
  PlotSpec spec;
  spec.title = title;
  const auto add = [&](const ResultSet& set, bool beside) {
    const MeasureResult* own = set.measure(measure);
    for (const Series& s : set.series) {
      if (s.measure != measure || s.kind != kind || (beside && !s.exact)) continue;
      if (spec.series.empty() && m != nullptr) {
        const AxisWords words = axis_words(*m, kind, s.x_unit);
        spec.x_label = words.x, spec.x_unit = words.x_unit, spec.y_label = words.y, spec.y_unit = words.y_unit;
      }
      spec.series.push_back(plotted(s, s.exact && own != nullptr ? answer_of(*own, set.long_run)
                                       : s.exact                 ? Answer::exact
                                                                 : Answer::estimate));
    }
  };
  add(main, false);
  if (spec.series.empty()) return std::nullopt;
  // A run that was looked at once, at its end, has a number and no course.
  if (kind == "convergence" && spec.series.front().x.size() < 2) return std::nullopt;
  for (std::size_t i = 1; i < results.size(); ++i)
    if (!results[i].long_run) add(results[i], true);
  spec.band_label = number_text(100 * (m != nullptr ? m->confidence : 0.95), 12) + " % interval";
  const PlotSeries run = spec.series.front();
  if (kind == "convergence") spec.settling = 0.1, spec.whole_x = spec.x_unit.empty();
  if (!run.x.empty()) {
    const MeasureResult* exact = exact_counterpart(results, measure);
    if (kind == "convergence" && exact != nullptr) spec.series.push_back(level(*exact, answer_of(*exact, false), run));
    // A limit means something beside a value that tends to it, not beside a distribution of times.
    const MeasureResult* limit = kind != "distribution" ? long_run_counterpart(results, measure) : nullptr;
    if (limit != nullptr && limit != exact && m != nullptr && limit->unit == m->unit)
      spec.series.push_back(level(*limit, Answer::long_run, run));
  }
  const std::string seed = ", seed " + std::to_string(main.provenance.seed);
  spec.caption = is_one_long_run(main)   ? "one long run" + seed
                 : main.replications > 0 ? "n = " + count_text(main.replications) + " replications" + seed
                                         : "no sampling: exact solution";
  return draw_plot(spec);
}

Picture split_figure(const Split& split, const std::vector<SplitBar>& bars) {
  constexpr double width = 660, row = 26, bar_height = 16;
  constexpr Font font{11.5};
  double left = 60;
  for (const SplitBar& b : bars) left = std::max(left, text_width(b.label, font) + 14);
  left = std::min(left, width * 0.45);
  const double room = width - left - 16;
  // What none of the parts has a share in comes last.
  std::vector<SplitPart> parts = split.shown();
  if (std::any_of(bars.begin(), bars.end(), [](const SplitBar& b) { return b.shares.front() > 0; })) parts.push_back(0);
  Picture out;
  // Names that have no room beside the others go on below.
  constexpr double legend_row = 18;
  double x = left, y = 6;
  for (const SplitPart part : parts) {
    const std::string name = elided(split.parts[part].label, font, room - 20);
    const double wide = 20 + text_width(name, font);
    if (x > left && x + wide > width) x = left, y += legend_row;
    out.rectangle({}, {x, y, 14, 11}, 0, Role::node_border, part_role(part)).line_width = 0.8;
    out.words({}, {x + 20, y + 9.5}, name, font, Role::text);
    x += wide + 20;
  }
  y += 22;
  for (const SplitBar& b : bars) {
    out.words({}, {left - 8, y + bar_height - 4}, elided(b.label, font, left - 12), font, Role::text, Anchor::end);
    const double total = std::accumulate(b.shares.begin(), b.shares.end(), 0.0);
    x = left;
    for (const SplitPart part : parts) {
      const double share = total > 0 ? b.shares[part] / total : 0.0, w = share * room;
      if (share <= 0) continue;
      out.rectangle({}, {x, y, w, bar_height}, 0, Role::node_border, part_role(part)).line_width = 0.8;
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
