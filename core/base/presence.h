#pragma once
#include <cstdint>

#include "core/base/element_id.h"

namespace ergode {

/// What somebody does at the node where he is, or what a server does that serves nobody.
enum class Standing : std::uint8_t {
  waiting,  ///< in line
  served,
  blocked,  ///< held back by what is behind him; he keeps his server, where there are some
  outside,  ///< before the node and not counted in it: there was no room
  idle,     ///< a server that has nobody
  away,     ///< a server that is set up, rests or is on its way
  down      ///< a server that has failed
};

/// So many alike at one node of a diagram: customers, tokens, or servers that serve nobody.
struct Present {
  ElementId node;
  Standing standing = Standing::waiting;
  /// What they are told apart by: an element such as a class of customers (KindSpec::told_apart); null: by nothing.
  ElementId sort = {};
  std::uint32_t count = 1;
  /// Somebody who came from elsewhere and goes on; else a server.
  bool somebody() const { return standing <= Standing::outside; }
  friend bool operator==(const Present&, const Present&) = default;
};

}  // namespace ergode
