#pragma once
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTimer>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "app/gui/plots/csv_preview.h"
#include "app/session/law_preview.h"
#include "core/base/unit.h"

class QCustomPlot;
class QFormLayout;

namespace ergode {

/// What the dialog of laws is to choose from, and how it learns what a text means.
struct LawContext {
  /// What a text means, in s; or why it means no time.
  std::function<std::variant<LawPreview, QString>(const QString& text)> judge;
  std::vector<DistributionForm> forms;  ///< forms_at()
  CsvPreview::Read read;
  QString folder;  ///< names of files begin there; empty: the model is in no file yet
  /// Of the model, in which times are shown unless they are far from one of it; empty: a unit that suits each time.
  std::string time_unit = {};
};

/// A law of times, chosen among the families and seen while it is typed: parameters, or mean and spread, on the left;
/// density and distribution function on the right. Of what reads a file its first rows stand below, and the column is
/// chosen there. What comes out is the text of the law.
class LawDialog : public QDialog {
  Q_OBJECT
 public:
  /// @param text  a law, a time, or what else a form of the context makes; anything else begins with an exponential law
  LawDialog(const QString& text, LawContext context, QWidget* parent = nullptr);
  QString text() const;
  /// Takes a form with the moments of what is shown, where it can have them; else its arguments are empty.
  void choose(const DistributionForm& form);
  /// A file was picked: the name of one in the folder of the model or below is written from there.
  void take_file(const QString& path);
  /// As typed into the two fields: the form keeps to them if it can, or else two moments are fitted.
  void take_moments(double mean_s, double scv);

 private:
  void fill(const QString& text);
  void rebuild(const DistributionForm& form, const std::vector<QString>& values);
  void look_again();
  void draw(const LawPreview& seen);
  void moments_typed();
  /// [s]: a number in the unit shown, or a time with its unit, which is shown from then on, or an expression that is
  /// one time; nothing: it is none of these.
  std::optional<double> mean_typed();
  Unit unit_for(double usual_s) const;  ///< to show a law of about this size [s]
  /// The form of these arguments, in any order; null: there is none.
  const DistributionForm* form_of(std::string_view family, const std::vector<std::string>& names) const;
  /// Texts to begin with of a form that is no law, so that it has this mean [s].
  std::vector<QString> beginning(const DistributionForm& form, double mean_s) const;
  QLineEdit* make_edit(const DistributionArgument& argument, const QString& value);
  QLineEdit* edit_of(std::string_view argument) const;  ///< null: the form has none of this name
  void show_file();
  QString written(const DistributionArgument& argument, const std::vector<double>& values) const;

  LawContext context_;
  const DistributionForm* form_ = nullptr;
  std::optional<Distribution> law_;
  Unit unit_;  ///< of what is shown and prefilled
  QComboBox* forms_;
  QFormLayout* arguments_;
  std::vector<QLineEdit*> edits_;  ///< by argument of the form
  QLineEdit *mean_, *scv_;
  QLabel *mean_label_, *help_, *numbers_, *text_, *problem_;
  QPushButton* ok_;
  CsvPreview* file_;
  QComboBox* column_ = nullptr;  ///< of a form that reads a file
  QCustomPlot* plot_;
  bool filling_ = false;
};

}  // namespace ergode
