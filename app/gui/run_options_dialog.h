#pragma once
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <map>
#include <string>
#include <vector>

namespace ergode {

/// All options of a run that have no field of their own in the tool bar, made from the option table. Empty means the
/// default; where one of several words is wanted, these are a list. A value that the table refuses is said beside its
/// field, and the dialog stays open.
class RunOptionsDialog : public QDialog {
  Q_OBJECT
 public:
  RunOptionsDialog(const std::map<std::string, std::string>& options, QWidget* parent = nullptr);
  /// Options that were given: name -> text.
  std::map<std::string, std::string> options() const;

 private:
  bool check();
  struct Field {
    std::string name;
    QLineEdit* edit;  ///< null: it is a list
    QComboBox* list;
    QWidget* editor() const;
    QString text() const;  ///< Empty: the default.
  };
  std::vector<Field> fields_;
  QLabel* problem_;
};

}  // namespace ergode
