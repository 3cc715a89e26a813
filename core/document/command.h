#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/document/document.h"

namespace ergode {

/// One primitive edit: `before` absent: insertion at `index`; `after` absent: removal from `index`; both: replacement.
struct Change {
  std::size_t index = 0;
  std::optional<Element> before, after;
};

/// One undo step: a named list of changes, applied in order and taken back in reverse order. Holds values and ids,
/// never pointers into the document, so it is valid as long as it is applied and reverted alternately.
class Command {
 public:
  explicit Command(std::string text) : text_(std::move(text)) {}
  const std::string& text() const { return text_; }
  const std::vector<Change>& changes() const { return changes_; }
  bool empty() const { return changes_.empty(); }
  /// Ids of all elements touched, each once.
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
  Edit(const Document& document, std::string text) : scratch_(document), command_(std::move(text)) {}
  const Document& document() const { return scratch_; }

  /// Appends after the last element of the same section and diagram. A null id is replaced by a fresh one.
  ElementId insert(Element element);
  /// Removes the element and what cannot stand without it: contained nodes, incident edges, a diagram's contents.
  void remove(ElementId id);
  /// Sets a property; a null value removes it. Unknown ids are ignored.
  void set(ElementId id, std::string_view property, Value value);
  /// Replaces the whole element (same id).
  void replace(ElementId id, Element element);
  void set_layout(ElementId id, Layout layout);
  /// Moves a node with everything inside it, and the way-points of edges whose two ends move with it.
  void move(const std::vector<ElementId>& ids, double dx, double dy);
  /// Nothing happens when the parent is the element itself, stands inside it or in another diagram.
  void set_parent(ElementId id, ElementId parent);
  /// Changes that cancel out are dropped; the command is empty when nothing changed.
  Command finish();

 private:
  void record(Change change);
  Document scratch_;
  Command command_;
};

/// The document with its history: pushing applies a command at once and forgets what was undone before it.
class CommandStack {
 public:
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
  void undo();
  void redo();
  std::size_t depth() const { return position_; }
  std::size_t size() const { return history_.size(); }
  const Command& at(std::size_t index) const { return history_[index]; }

  bool clean() const { return clean_ && *clean_ == position_; }
  /// Remembers the present state as the one in the file.
  void mark_clean() { clean_ = position_; }

  /// Called after every change with the touched ids. One listener: the desktop fans it out.
  std::function<void(const std::vector<ElementId>&)> changed;

 private:
  Document document_;
  std::vector<Command> history_;
  std::size_t position_ = 0;
  std::optional<std::size_t> clean_ = 0;
};

}  // namespace ergode
