#include "tests/benchmark/chart_step.h"
#ifdef ERGODE_QT_SCXML
#include <QCoreApplication>
#include <QScxmlStateMachine>
#include <algorithm>
#include <memory>
#endif

namespace ergode::bench {

#ifdef ERGODE_QT_SCXML

namespace {

class QtEngine : public StepEngine {
 public:
  QtEngine() : machine_(QScxmlStateMachine::fromFile(QString::fromUtf8(file_of(StepChart::structure)))) {
    for (const std::string& event : step_events) names_.push_back(QString::fromStdString(event));
    machine_->start();
    QCoreApplication::processEvents();
  }
  // All at once: the machine then works through its queue without going back to the event loop between events.
  void give(const std::vector<std::uint8_t>& events) override {
    for (const std::uint8_t event : events) machine_->submitEvent(names_[event]);
    QCoreApplication::processEvents();
  }
  std::string configuration() override {
    QStringList states = machine_->activeStateNames(true);
    std::sort(states.begin(), states.end());
    return states.join(QLatin1Char('|')).toStdString();
  }

 private:
  int count_ = 0;
  QCoreApplication application_{count_, nullptr};
  std::unique_ptr<QScxmlStateMachine> machine_;
  std::vector<QString> names_;
};

}  // namespace

StepEngine* qt_scxml_engine() {
  static QtEngine engine;
  return &engine;
}

#else
StepEngine* qt_scxml_engine() { return nullptr; }
#endif

}  // namespace ergode::bench
