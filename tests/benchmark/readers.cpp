// Readers: elements per second of a large text against those of a small one. A ratio of one: the time per element does
// not grow with the text.
#include "app/session/import.h"
#include "core/base/csv.h"
#include "core/expression/parameters.h"
#include "core/format/model_file.h"
#include "solvers/reliability/galileo/galileo.h"
#include "statecharts/exchange/prism/prism_reader.h"
#include "statecharts/exchange/scxml_reader.h"
#include "tests/benchmark/benchmark.h"

namespace ergode::bench {
namespace {

using Text = std::function<std::string(int elements)>;
using Read = std::function<bool(const std::string& text)>;

std::string number(int i) { return std::to_string(i); }

std::string id(int i) {
  std::string digits = std::to_string(i + 1);
  return std::string(16 - digits.size(), '0') + digits;
}

std::string list(int n, const std::function<std::string(int)>& one) {
  std::string out;
  for (int i = 0; i < n; ++i) out += (i == 0 ? "" : ",") + one(i);
  return out;
}

std::string model(const std::string& rest) {
  return R"({"format":"ergode-model","schema":1,"model":{"id":"ffffffffffffffff","name":"m"},)" + rest + "}";
}

std::string parameters(int n, const std::function<std::string(int)>& value) {
  return R"("parameters":[)" +
         list(n,
              [&](int i) {
                return R"({"id":")" + id(i) + R"(","name":"p)" + number(i) + R"(","value":")" + value(i) + "\"}";
              }) +
         "]";
}

std::string scxml(int n, const char* before, const std::function<std::string(int)>& one, const char* after) {
  std::string out = R"(<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0")";
  out += before;
  for (int i = 0; i < n; ++i) out += one(i);
  return out + after + "</scxml>";
}

bool read_parameters(const std::string& text) {
  const ReadOutcome read = parse_model(text);
  Diagnostics problems;
  return read.document && !ParameterTable::resolve(*read.document, "", {}, problems).all().empty() && problems.empty();
}
bool read_chart(const std::string& text) { return parse_scxml(text, "m").document.has_value(); }

struct Reader {
  const char* name;
  int most;
  Text text;
  Read read;
};

std::vector<Reader> readers() {
  return {
      {"parameters", 100000, [](int n) { return model(parameters(n, [](int) { return "1e-3 /h"; })); },
       read_parameters},
      {"a chain of parameters", 100000,
       [](int n) { return model(parameters(n, [&](int i) { return i + 1 < n ? "p" + number(i + 1) : "1"; })); },
       read_parameters},
      {"places in the layout", 100000,
       [](int n) {
         return model(parameters(n, [](int) { return "1"; }) + R"(,"layout":{)" +
                      list(n, [](int i) { return "\"" + id(i) + "\":[1,2,3,4]"; }) + "}");
       },
       [](const std::string& text) { return parse_model(text).document.has_value(); }},
      {"numbers in a list", 100000,
       [](int n) { return model(R"("x":[)" + list(n, [](int i) { return number(i) + ".5"; }) + "]"); },
       [](const std::string& text) { return parse_model(text).document.has_value(); }},
      {"states (SCXML)", 10000,
       [](int n) {
         return scxml(
             n, ">", [](int i) { return "<state id=\"s" + number(i) + "\"/>"; }, "");
       },
       read_chart},
      {"transitions of a state (SCXML)", 100000,
       [](int n) {
         return scxml(
             n, "><state id=\"a\">", [](int i) { return "<transition event=\"e" + number(i) + "\"/>"; }, "</state>");
       },
       read_chart},
      {"parallel regions (SCXML)", 10000,
       [](int n) {
         return scxml(
             n, "><parallel id=\"p\">",
             [](int i) { return "<state id=\"r" + number(i) + "\"><state id=\"a" + number(i) + "\"/></state>"; },
             "</parallel>");
       },
       read_chart},
      {"unknown elements (SCXML)", 100000,
       [](int n) {
         return scxml(
             n, "><state id=\"a\">", [](int i) { return "<wonder" + number(i) + "/>"; }, "</state>");
       },
       read_chart},
      {"attributes of an element (SCXML)", 100000,
       [](int n) {
         return scxml(
             n, "", [](int i) { return " a" + number(i) + "=\"1\""; }, "><state id=\"a\"/>");
       },
       read_chart},
      {"commands (PRISM)", 10000,
       [](int n) {
         std::string out = "ctmc module M x:[0..1];\n";
         for (int i = 0; i < n; ++i) out += "[] x=0 -> 1 : (x'=1);\n";
         return out + "endmodule";
       },
       [](const std::string& text) { return PrismImport(text, "m").document.has_value(); }},
      {"a chain of gates (Galileo)", 10000,
       [](int n) {
         std::string out = "toplevel g0;\nx lambda=1;\n";
         for (int i = 0; i < n; ++i)
           out += "g" + number(i) + " or " + (i + 1 < n ? "g" + number(i + 1) : "x") + " b" + number(i) + ";\nb" +
                  number(i) + " lambda=1;\n";
         return out;
       },
       [](const std::string& text) { return import_galileo(text, "m").document.has_value(); }},
      {"cells (CSV)", 100000, [](int n) { return "hours\n" + list(n, [](int i) { return number(i) + "\n"; }); },
       [](const std::string& text) { return parse_csv(text).index() == 0; }},
  };
}

}  // namespace

std::vector<Named> reader_benchmarks() {
  std::vector<Named> out;
  for (const Reader& reader : readers())
    for (const int n : {10000, 100000}) {
      if (n > reader.most) continue;
      const std::string name = "read_" + number(n) + "_" + reader.name;
      out.push_back({name, [reader, n, name](double seconds) {
                       const auto speed = [&](int elements) {
                         return [text = reader.text(elements), read = reader.read, elements]() -> double {
                           return read(text) ? elements : 0.0;
                         };
                       };
                       return compare(name, "elements/s", "the same with 1000", seconds, speed(n), speed(1000));
                     }});
    }
  return out;
}

}  // namespace ergode::bench
