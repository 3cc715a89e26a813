#pragma once
#include <string>
#include <vector>

namespace ergode::test {

/// A sentence of the SCXML Recommendation (W3C, 1 September 2015) as a small document, worked out by hand. It leads to
/// the final state `pass`; `fail` is where a misreading leads. A document that stays elsewhere has failed too.
struct ScxmlSentence {
  std::string section, gist;  ///< "3.13", and what the sentence says in a few words
  std::string body;           ///< what stands in the document, beside data x = 0 and y = 0 and both final states
  std::string events;         ///< given from outside, "a, b.c"
  std::string attributes;     ///< of the document: `initial="b"`
  /// Of the row of a test.
  std::string name() const { return section + " " + gist; }
  std::string document() const {
    return "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" datamodel=\"ecmascript\" " + attributes +
           "><datamodel><data id=\"x\" expr=\"0\"/><data id=\"y\" expr=\"0\"/></datamodel>" + body +
           "<final id=\"pass\"/><final id=\"fail\"/></scxml>";
  }
};

std::vector<ScxmlSentence> sentences_of_core_constructs();  ///< section 3, appendix D
std::vector<ScxmlSentence> sentences_of_content();          ///< sections 4 and 5
std::vector<ScxmlSentence> sentences_of_communication();    ///< section 6, appendices B and C

/// All of them. Made anew for each call.
inline std::vector<ScxmlSentence> scxml_sentences() {
  std::vector<ScxmlSentence> out = sentences_of_core_constructs();
  for (const auto& more : {sentences_of_content(), sentences_of_communication()})
    out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace ergode::test
