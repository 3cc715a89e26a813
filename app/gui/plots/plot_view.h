#pragma once
#include <qcustomplot.h>

#include <functional>

#include "core/base/diagnostic.h"
#include "core/results/answer.h"
#include "core/results/result_set.h"

namespace ergode {

/// A plot of curves with confidence bands: wheel zooms (over an axis: that axis only), drag pans, double click resets,
/// a click in the legend, which stands beside the curves, hides one. New data never moves what the user has zoomed to;
/// `following` does.
class PlotView : public QCustomPlot {
  Q_OBJECT
 public:
  struct Curve {
    QString key;  ///< Stays the same when the data change; hidden curves are remembered by it.
    QString label;
    const Series* series = nullptr;
    Answer answer = Answer::estimate;
    bool sets_range = true;  ///< Otherwise drawn where the others leave room for it.
  };
  struct Titles {
    QString header;          ///< What is plotted, in full.
    QString x, y;            ///< Short, with unit.
    QStringList words = {};  ///< x of the curves is the place of a word, from 0: points at these, not lines.
  };
  explicit PlotView(QWidget* parent = nullptr);

  /// The series must outlive the call only: what is shown is copied. Colours follow the answers; what was hidden stays
  /// so by its key.
  void show_curves(const std::vector<Curve>& curves, const Titles& titles);
  bool following() const { return following_; }
  /// On: fits now, and from then on whenever the data change.
  void set_following(bool on);
  /// Once, whether following or not.
  void fit();
  /// Colours of the present look.
  void restyle();
  /// What is shown: measure, solver, kind, x, y, lower, upper; lines end in CRLF.
  QString csv() const;
  /// Writes the plot in a format of figures ("svg", "pdf"), as reports show it; says why not in the second argument.
  using Figure = std::function<std::optional<std::string>(const std::string& format, Diagnostics& problems)>;
  void set_figure(Figure figure) { figure_ = std::move(figure); }
  /// The extension (svg, pdf, png, csv) decides what is written: figures from the results, png and csv as shown.
  /// @returns why the file was not written; empty: it was.
  QString export_to(const QString& path);
  /// As it stands above the plot.
  QString header() const { return title_->text(); }

 Q_SIGNALS:
  void following_changed(bool on);
  void said(const QString& text);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void user_zoomed();
  void on_wheel(QWheelEvent* event);
  void draw_curve(const Curve& curve);
  void draw_points(const Curve& curve);
  QCPGraph* add_graph(const Curve& curve, const QVector<double>& x, const std::vector<double>& y);
  bool following_ = true;
  QSet<QString> hidden_;
  std::vector<Series> shown_;
  std::vector<bool> sets_range_;
  Figure figure_;
  QCPTextElement* title_ = nullptr;
  QString title_text_, y_title_;  ///< In full; the plot shows what fits.
  QStringList words_;             ///< at the x axis; empty: numbers
};

/// Whether there is an interval anywhere along it.
bool has_band(const Series& series);
/// Title of an axis: "failed (1/h)".
QString axis_title_text(const std::string& words, const std::string& unit);

}  // namespace ergode
