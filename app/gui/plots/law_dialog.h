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

#include "core/random/distribution.h"

class QCustomPlot;
class QFormLayout;

namespace ergode {

/// A law of times, chosen among the families and seen while it is typed: parameters, or mean and spread, on the left;
/// density and distribution function on the right. What comes out is the text of the law.
class LawDialog : public QDialog {
  Q_OBJECT
 public:
  /// What a text means, in s; or why it means no law.
  using Judge = std::function<std::variant<Distribution, QString>(const QString& text)>;
  /// @param text  a law, or a time; anything else begins with an exponential law
  LawDialog(const QString& text, Judge judge, QWidget* parent = nullptr);
  QString text() const;
  /// Takes a form with the moments of what is shown, where it can have them; else its arguments are empty.
  void choose(const DistributionForm& form);
  /// As typed into the two fields: the form keeps to them if it can, or else two moments are fitted.
  void take_moments(double mean_s, double scv);

 private:
  void fill(const QString& text);
  void rebuild(const DistributionForm& form, const std::vector<QString>& values);
  void look_again();
  void draw(const Distribution& law);
  void moments_typed();
  QString written(const DistributionArgument& argument, const std::vector<double>& values) const;

  Judge judge_;
  const DistributionForm* form_ = nullptr;
  std::optional<Distribution> law_;
  struct Unit {
    const char* symbol;
    double seconds;
  };
  Unit unit_{"s", 1.0};  ///< of what is shown and prefilled
  QComboBox* forms_;
  QFormLayout* arguments_;
  std::vector<QLineEdit*> edits_;  ///< by argument of the form
  QLineEdit *mean_, *scv_;
  QLabel *mean_label_, *help_, *numbers_, *text_, *problem_;
  QPushButton* ok_;
  QCustomPlot* plot_;
  bool filling_ = false;
};

}  // namespace ergode
