#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/document/document.h"

namespace ergode {

/// One primitive edit: `before` absent: insertion at `index`; `after` absent: removal from `index`; both: replacement.
/// Both are whole elements with the same id: so taking back is putting back.
struct Change {
  std::size_t index = 0;
  std::optional<Element> before, after;
};

/// One undo step: a named list of changes, applied in order and taken back in reverse order. Holds values and ids,
/// never pointers into the document, so it is valid as long as it is applied and reverted alternately.
///
/// Made by Edit, applied and reverted by CommandStack; memory for both versions of what it changes.
class Command {
 public:
  explicit Command(std::string text) : text_(std::move(text)) {}
  /// What the step is called, for menus and history: "Add state".
  const std::string& text() const { return text_; }
  const std::vector<Change>& changes() const { return changes_; }
  /// Nothing changes: pushing it is no step.
  bool empty() const { return changes_.empty(); }
  /// Ids of all elements touched, each once, in the order in which they were touched first; some may be gone.
  /// O(changes).
  std::vector<ElementId> touched() const;

 private:
  friend class Edit;
  friend class CommandStack;
  void apply(Document& document) const;
  void revert(Document& document) const;
  std::string text_;
  std::vector<Change> changes_;
};

/// Builds one command while showing its effect on a scratch copy, so that later parts of a gesture see earlier ones.
///
///     Edit edit(stack.document(), "Add state");
///     ElementId id = edit.insert(element);
///     edit.set(id, "name", "Failed");
///     stack.push(edit.finish());
class Edit {
 public:
  /// Copies the document, O(its size): one Edit for a gesture, not one for a step of the mouse.
  Edit(const Document& document, std::string text) : scratch_(document), command_(std::move(text)) {}
  /// The document as it will be; pointers into it are good until the next edit.
  const Document& document() const { return scratch_; }

  /// Appends after the last element of the same section and diagram. A null id is replaced by a fresh one; any other
  /// must be new to the document. O(elements).
  /// @returns the id.
  ElementId insert(Element element);
  /// Removes the element and what cannot stand without it: contained nodes, incident edges, a diagram's contents.
  /// Unknown ids and the model's header are left alone. O(elements) for each that goes. What names it in texts is not
  /// changed.
  void remove(ElementId id);
  /// Sets a property; a null value removes it. Unknown ids are ignored.
  void set(ElementId id, std::string_view property, Value value);
  /// Replaces the whole element (same id). Unknown ids are ignored.
  void replace(ElementId id, Element element);
  /// Where the element is drawn, all of it; see layout_limits.h for what can be. Unknown ids are ignored.
  void set_layout(ElementId id, Layout layout);
  /// Moves nodes by (dx, dy) [pixel at 100 %] with everything inside them, and the way-points of edges whose two ends
  /// move with them.
  void move(const std::vector<ElementId>& ids, double dx, double dy);
  /// Moves a node into another, or directly into the diagram (null id). Nothing happens when the parent is the element
  /// itself, stands inside it or in another diagram. Places stay as they are.
  void set_parent(ElementId id, ElementId parent);
  /// Changes that cancel out are dropped; the command is empty when nothing changed. Once: what is left of the Edit is
  /// of no use.
  Command finish();

 private:
  void record(Change change);
  Document scratch_;
  Command command_;
};

/// The document with its history: pushing applies a command at once and forgets what was undone before it.
///
/// Steps are kept without limit. One thread; pointers into document() are good until the next push(), join(), undo() or
/// redo().
class CommandStack {
 public:
  /// Begins with this document, no history, and counts as written.
  explicit CommandStack(Document document = {}) : document_(std::move(document)) {}
  const Document& document() const { return document_; }

  /// Applies a command; empty commands are ignored. Notifies with the touched ids.
  void push(Command command);
  /// Applies a command as part of the last step, which keeps its text: what belongs together is undone together. When
  /// there is no such step, or the file was written after it, the command is a step of its own.
  void join(Command command);
  bool can_undo() const { return position_ > 0; }
  bool can_redo() const { return position_ < history_.size(); }
  /// Text of the step that undo (redo) would take; empty when there is none.
  std::string undo_text() const;
  std::string redo_text() const;
  /// Takes the last step back, or the next one again; nothing happens when there is none. Notifies with the touched
  /// ids.
  void undo();
  void redo();
  /// How many of the size() steps are applied now.
  std::size_t depth() const { return position_; }
  std::size_t size() const { return history_.size(); }
  /// A step, from 0, the oldest; those from depth() on are undone.
  const Command& at(std::size_t index) const { return history_[index]; }

  /// Whether the document is as mark_clean() last found it. False for good once that state lies beyond a branch.
  bool clean() const { return clean_ && *clean_ == position_; }
  /// Remembers the present state as the one in the file.
  void mark_clean() { clean_ = position_; }

  /// Called after every change with the touched ids, when document() has it already. One listener: the desktop fans it
  /// out. It must not edit from within.
  std::function<void(const std::vector<ElementId>&)> changed;

 private:
  Document document_;
  std::vector<Command> history_;
  std::size_t position_ = 0;
  std::optional<std::size_t> clean_ = 0;
};

}  // namespace ergode
