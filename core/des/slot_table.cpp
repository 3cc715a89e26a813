#include "core/des/slot_table.h"

#include <algorithm>
#include <limits>

#include "core/base/text.h"

namespace ergode {
namespace {

/// ": tank.level, tank.open"; of many the first.
std::string these(const std::vector<std::string>& names) {
  constexpr std::size_t most_names = 16;
  if (names.size() > most_names) return ", as in " + names.front();
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? ": " : ", ") + name;
  return out;
}

}  // namespace

const Range NamedSlot::everything = {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};

std::uint32_t SlotTable::add(NamedSlot slot, double initial) {
  slot.slot = add(initial);
  if (slot.by_set) by_set_.resize(slot.slot + std::size_t{1}, 0), by_set_.back() = 1;
  if (slot.fixed) fixed_.resize(slot.slot + std::size_t{1}, 0), fixed_.back() = 1;
  // Charts look up their own variables, by component and without building paths; only declared things go by name.
  if (const std::size_t dot = slot.name.find('.');
      dot != std::string::npos && declared_.contains(std::string_view(slot.name).substr(0, dot)))
    by_name_.emplace(slot.name, named_.size());
  named_.push_back({{}, 1, {std::move(slot)}});
  return named_.back().each.front().slot;
}

std::uint32_t SlotTable::add(const std::string& array, std::uint32_t members, std::vector<NamedSlot> each,
                             const std::vector<double>& initial) {
  const auto first = static_cast<std::uint32_t>(initial_.size());
  for (std::uint32_t i = 0; i < each.size(); ++i) each[i].slot = first + i;
  initial_.reserve(initial_.size() + std::size_t{members} * initial.size());
  for (std::uint32_t m = 0; m < members; ++m) initial_.insert(initial_.end(), initial.begin(), initial.end());
  if (!each.empty()) named_.push_back({array, members, std::move(each)});
  return first;
}

std::vector<NamedSlot> SlotTable::named() const {
  std::vector<NamedSlot> out;
  for (const Named& names : named_)
    for (std::uint32_t m = 0; m < names.members; ++m)
      for (const NamedSlot& one : names.each) {
        out.push_back(one);
        if (names.array.empty()) continue;
        out.back().name = names.array + "[" + std::to_string(m + 1) + "]." + one.name;
        out.back().slot += m * static_cast<std::uint32_t>(names.each.size());
      }
  return out;
}

std::vector<Range> SlotTable::ranges(double horizon_s) const {
  std::vector<Range> out(initial_.size(), NamedSlot::everything);
  out.front() = {0.0, horizon_s};
  for (const Named& names : named_)
    for (std::uint32_t m = 0; m < names.members; ++m)
      for (const NamedSlot& slot : names.each)
        out[slot.slot + m * names.each.size()] =
            slot.type.base == ValueType::Base::boolean ? Range{0.0, 1.0} : slot.range;
  for (const auto& [slot, range] : narrowed_)
    out[slot] = {std::max(out[slot].lower, range.lower), std::min(out[slot].upper, range.upper)};
  return out;
}

const SlotTable::Declared* SlotTable::declare(const std::string& name, Declared declared) {
  const auto [place, fresh] = declared_.emplace(name, std::move(declared));
  return fresh ? nullptr : &place->second;
}

const SlotTable::Declared* SlotTable::declared(std::string_view name) const {
  const auto found = declared_.find(name);
  return found == declared_.end() ? nullptr : &found->second;
}

std::variant<Symbol, std::string> SlotTable::path(const ResolvedPath& path) const {
  const std::string& head = path.words.front();
  const Declared& thing = declared_.at(head);
  std::string name = head;
  for (std::size_t i = 1; i < path.words.size(); ++i) name += "." + path.words[i];
  std::vector<std::string> known;
  for (auto at = by_name_.lower_bound(head + "."); at != by_name_.end() && at->first.starts_with(head + "."); ++at)
    known.push_back(at->first);
  const std::string such = known.empty() ? "" : "; wanted one of its values" + these(known);
  if (path.indexed) return "\"" + head + "\" is a single " + thing.what + "; wanted no index.";
  if (path.words.size() == 1) return "\"" + head + "\" is a " + thing.what + such + ".";
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) {
    const std::string near = nearest_word(name, known);
    return "The " + thing.what + " \"" + head + "\" has no value \"" + name.substr(head.size() + 1) + "\"" +
           (near.empty() ? such : "; did you mean " + near + "?") + (near.empty() ? "." : "");
  }
  const NamedSlot& slot = named_[found->second].each.front();
  const auto constant = held_.contains(slot.slot) ? std::optional(initial_[slot.slot]) : std::nullopt;
  return Symbol{.type = slot.type, .element = slot.element, .constant = constant, .choice = {}, .slot = slot.slot};
}

std::uint32_t SlotTable::observe(Program program) {
  observers_.push_back(std::move(program));
  return static_cast<std::uint32_t>(observers_.size() - 1);
}

std::uint32_t SlotTable::wake(Program program) {
  readers_.push_back(std::move(program));
  return static_cast<std::uint32_t>(readers_.size() - 1);
}

void SlotTable::close() {
  std::vector<std::uint32_t> count(initial_.size() + 1);
  const auto each = [&](auto&& put) {
    std::uint32_t number = 0;
    for (const std::vector<Program>* programs : {&observers_, &readers_})
      for (const Program& program : *programs) {
        for (const std::uint32_t slot : program.slots()) put(slot, number);
        ++number;
      }
  };
  each([&](std::uint32_t slot, std::uint32_t) { ++count[slot + 1]; });
  // Counting sort: first how many programs read each slot, then where its row begins, then the rows.
  for (std::size_t i = 1; i < count.size(); ++i) count[i] += count[i - 1];
  watched_.start = count;
  watched_.values.resize(count.back());
  each([&](std::uint32_t slot, std::uint32_t number) { watched_.values[count[slot]++] = number; });
}

}  // namespace ergode
