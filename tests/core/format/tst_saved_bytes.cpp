#include <QtTest>
#include <filesystem>
#include <random>

#include "core/document/command.h"
#include "core/format/model_file.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

std::vector<std::filesystem::path> example_paths() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ERGODE_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".ergode") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

/// A user who does anything, in any order.
class Hand {
 public:
  Hand(CommandStack& stack, unsigned seed) : stack_(stack), random_(seed) {}

  void act() {
    Edit edit(stack_.document(), "step");
    switch (below(12)) {
      case 0:
      case 1:
        insert_node(edit);
        break;
      case 2:
      case 3:
        insert_edge(edit);
        break;
      case 4:
        edit.move({any(Section::node), any(Section::node)}, below(90) - 40.5, below(70) - 30.0);
        break;
      case 5:
        bend(edit);
        break;
      case 6:
        edit.set_parent(any(Section::node), below(2) == 0 ? ElementId() : any(Section::node));
        break;
      case 7:
        if (below(3) == 0) edit.remove(any(below(2) == 0 ? Section::node : Section::edge));
        break;
      case 8:
        edit.set(any(Section::node), "description", "\u03bb \"quoted\"\n\t" + std::to_string(below(1000)));
        break;
      case 9:
        insert_other(edit);
        break;
      case 10:
        edit.set(any(Section::edge), "trigger", below(3) == 0 ? Value() : Value("rate(1 /h)"));
        break;
      case 11:
        while (stack_.can_undo() && below(3) != 0) stack_.undo();
        while (stack_.can_redo() && below(3) != 0) stack_.redo();
        return;
    }
    stack_.push(edit.finish());
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  ElementId any(Section section) {
    const auto all = stack_.document().of(section);
    return all.empty() ? ElementId() : all[random_() % all.size()]->id;
  }
  void insert_node(Edit& edit) {
    Element e;
    e.kind = below(4) == 0 ? "choice" : "state", e.diagram = any(Section::diagram);
    e.properties["name"] = "S" + std::to_string(below(100));
    if (below(5) != 0) e.layout.bounds = Rect{below(900) + 0.25 * below(4), 1.0 * below(700), 140, 60};
    edit.insert(std::move(e));
  }
  void insert_edge(Edit& edit) {
    const Element* from = stack_.document().find(any(Section::node));
    if (from == nullptr) return;
    const auto there = stack_.document().nodes(from->diagram);
    Element e;
    e.section = Section::edge, e.kind = "transition", e.diagram = from->diagram, e.source = from->id;
    e.target = there[random_() % there.size()]->id;
    if (below(2) == 0) e.layout.way_points = {{1.0 * below(500), 12.5}, {3, 1.0 * below(500)}};
    edit.insert(std::move(e));
  }
  void bend(Edit& edit) {
    Layout layout;
    if (below(3) != 0) layout.way_points = {{0.1 * below(5000), 1.0 * below(500)}};
    if (below(2) == 0) layout.label_offset = Point{1.0 * below(40) - 20, 0.5 * below(40)};
    edit.set_layout(any(Section::edge), layout);
  }
  void insert_other(Edit& edit) {
    Element e;
    const Section sections[] = {Section::parameter, Section::diagram, Section::measure, Section::scenario};
    const char* const kinds[] = {"parameter", "diagram", "measure", "scenario"};
    const int which = below(4);
    e.section = sections[which], e.kind = kinds[which];
    e.properties["name"] = "x" + std::to_string(below(1000));
    if (e.section == Section::diagram) e.properties["notation"] = "statechart";
    edit.insert(std::move(e));
  }

  CommandStack& stack_;
  std::mt19937 random_;
};

}  // namespace

/// Oracle: the bytes themselves.
class TestSavedBytes : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_model_edited_in_any_order_is_opened_and_saved_with_the_same_bytes_data() {
    QTest::addColumn<QString>("path");
    for (const auto& path : example_paths())
      QTest::newRow(path.parent_path().filename().c_str()) << QString::fromStdString(path.string());
    QTest::newRow("a new model") << QString();
  }
  void a_model_edited_in_any_order_is_opened_and_saved_with_the_same_bytes() {
    QFETCH(QString, path);
    Document start;
    if (!path.isEmpty()) {
      ReadOutcome read = read_model(path.toStdString());
      QVERIFY2(read.document.has_value(), listed(read.diagnostics).c_str());
      start = std::move(*read.document);
    }
    for (unsigned seed = 1; seed <= 20; ++seed) {
      CommandStack stack(start);
      Hand hand(stack, seed);
      for (int step = 0; step < 120; ++step) {
        hand.act();
        if (step % 10 != 9) continue;
        const std::string saved = write_model(stack.document());
        const ReadOutcome opened = parse_model(saved);
        QVERIFY2(opened.document.has_value(), listed(opened.diagnostics).c_str());
        const std::string again = write_model(*opened.document);
        const auto at = std::mismatch(saved.begin(), saved.end(), again.begin(), again.end()).first - saved.begin();
        const auto near = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, at - 60));
        QVERIFY2(saved == again, qPrintable(QString("seed %1, step %2, at byte %3: %4")
                                                .arg(seed)
                                                .arg(step)
                                                .arg(at)
                                                .arg(QString::fromStdString(saved.substr(near, 160)))));
      }
    }
  }
};

QTEST_GUILESS_MAIN(TestSavedBytes)
#include "tst_saved_bytes.moc"
