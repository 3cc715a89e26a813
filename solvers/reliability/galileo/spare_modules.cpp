#include "solvers/reliability/galileo/spare_modules.h"

#include <map>

namespace ergode {
namespace {

using TreeKind = TreeElement::Kind;

std::vector<std::vector<int>> gates_above(const FaultTree& tree) {
  std::vector<std::vector<int>> out(tree.elements.size());
  for (std::size_t i = 0; i < tree.elements.size(); ++i) {
    const TreeElement& e = tree.elements[i];
    if (!e.can_fail() || e.kind == TreeKind::spare) continue;
    for (const TreeElement::Child& child : e.children)
      out[static_cast<std::size_t>(child.element)].push_back(static_cast<int>(i));
  }
  return out;
}

std::vector<int> joined_to(const FaultTree& tree, const std::vector<std::vector<int>>& above, int start) {
  std::vector<bool> seen(tree.elements.size(), false);
  std::vector<int> open = {start}, out;
  seen[static_cast<std::size_t>(start)] = true;
  const auto visit = [&](int e) {
    if (!seen[static_cast<std::size_t>(e)]) seen[static_cast<std::size_t>(e)] = true, open.push_back(e);
  };
  while (!open.empty()) {
    const int e = open.back();
    open.pop_back();
    out.push_back(e);
    for (const int gate : above[static_cast<std::size_t>(e)]) visit(gate);
    if (tree.at(e).kind != TreeKind::spare)
      for (const TreeElement::Child& child : tree.at(e).children) visit(child.element);
  }
  return out;
}

}  // namespace

SpareModules::SpareModules(const FaultTree& tree) : modules_of(tree.elements.size()), active(tree.elements.size()) {
  const auto above = gates_above(tree);
  std::map<int, std::size_t> of;
  for (std::size_t i = 0; i < tree.elements.size(); ++i) {
    if (tree.elements[i].kind != TreeKind::spare) continue;
    for (const TreeElement::Child& child : tree.elements[i].children) {
      const auto [found, fresh] = of.emplace(child.element, modules.size());
      if (fresh) modules.push_back({child.element, {}, joined_to(tree, above, child.element), false});
      modules[found->second].users.push_back(static_cast<int>(i));
    }
  }
  for (std::size_t m = 0; m < modules.size(); ++m)
    for (const int e : modules[m].members) modules_of[static_cast<std::size_t>(e)].push_back(static_cast<int>(m));
  std::vector<int> open;
  const auto activate = [&](int e) {
    if (active[static_cast<std::size_t>(e)]) return;
    active[static_cast<std::size_t>(e)] = true;
    open.push_back(e);
  };
  for (std::size_t i = 0; i < tree.elements.size(); ++i)
    if (modules_of[i].empty()) activate(static_cast<int>(i));
  for (const int e : joined_to(tree, above, tree.top)) activate(e);
  while (!open.empty()) {
    const int e = open.back();
    open.pop_back();
    if (tree.at(e).kind != TreeKind::spare) continue;
    Module& first = modules[of.at(tree.at(e).children.front().element)];
    first.active = true;
    for (const int member : first.members) activate(member);
  }
}

TreeValue dormancy_in(const FaultTree& tree, const SpareModules& modules, int event) {
  const TreeElement& e = tree.at(event);
  if (e.law.dormancy) return *e.law.dormancy;
  for (const int m : modules.modules_of[static_cast<std::size_t>(event)])
    for (const int user : modules.modules[static_cast<std::size_t>(m)].users)
      if (tree.at(user).cold) return {"0", 0.0, e.place};
  return {"1", 1.0, e.place};
}

}  // namespace ergode
