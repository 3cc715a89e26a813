#include <QtTest>

#include "core/format/xml_text.h"

using namespace ergode;

class XmlText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void well_formed_documents_pass_data();
  void well_formed_documents_pass();
  void defects_are_found_at_their_place_data();
  void defects_are_found_at_their_place();
  void encodings_are_read_as_utf8();
  void other_encodings_are_refused();
};

void XmlText::well_formed_documents_pass_data() {
  QTest::addColumn<QByteArray>("text");
  // From the examples of XML 1.0, fifth edition.
  QTest::newRow("empty element") << QByteArray("<a/>");
  QTest::newRow("prolog") << QByteArray(
      "<?xml version='1.0'?>\n<!-- c -->\n<!DOCTYPE a [<!ELEMENT a (b)>]>\n<a></a>\n<?p?>");
  QTest::newRow("quotes") << QByteArray("<a b='\"' c = \"'>'\"/>");
  QTest::newRow("references") << QByteArray("<a b='&lt;&#x20;'>&amp;&#38;</a>");
  QTest::newRow("cdata") << QByteArray("<a><![CDATA[<&]]></a>");
  QTest::newRow("names") << QByteArray("<x:a-1.b x:c_d='1'><\xC3\xA9/></x:a-1.b>");
}

void XmlText::well_formed_documents_pass() {
  QFETCH(const QByteArray, text);
  const auto defect = xml_defect(text.toStdString());
  QVERIFY2(!defect, defect ? defect->message.c_str() : "");
}

void XmlText::defects_are_found_at_their_place_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<int>("line");
  QTest::addColumn<int>("column");
  QTest::newRow("nothing") << QByteArray("") << 1 << 1;
  QTest::newRow("not closed") << QByteArray("<a>\n<b></b>") << 2 << 8;
  QTest::newRow("crossed") << QByteArray("<a>\n <b></a></b>") << 2 << 5;
  QTest::newRow("two roots") << QByteArray("<a/>\n<b/>") << 2 << 1;
  QTest::newRow("text behind the root") << QByteArray("<a/>\n prose") << 2 << 2;
  QTest::newRow("attribute without value") << QByteArray("<a b c='1'/>") << 1 << 6;
  QTest::newRow("attribute without quotes") << QByteArray("<a b=1/>") << 1 << 6;
  QTest::newRow("attribute twice") << QByteArray("<a b='1' b='2'/>") << 1 << 10;
  QTest::newRow("less in an attribute") << QByteArray("<a b='x<0'/>") << 1 << 8;
  QTest::newRow("stray ampersand") << QByteArray("<a>\n\xC3\xA9 & b</a>") << 2 << 3;
  QTest::newRow("dashes in a comment") << QByteArray("<a><!-- -- --></a>") << 1 << 9;
  QTest::newRow("entity declared") << QByteArray("<!DOCTYPE a [\n <!ENTITY e 'x'>]>\n<a>&e;</a>") << 2 << 2;
  QTest::newRow("entity unknown") << QByteArray("<a>\n&e;</a>") << 2 << 1;
  QTest::newRow("entity unknown in a value") << QByteArray("<a b='&copy;'/>") << 1 << 7;
  QTest::newRow("reference to no character") << QByteArray("<a>&#0;</a>") << 1 << 4;
  QTest::newRow("reference to a surrogate") << QByteArray("<a>&#xD800;</a>") << 1 << 4;
  QByteArray deep;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  QTest::newRow("deep") << deep << 1 << 2 + 3 * static_cast<int>(deepest_xml);
  QTest::newRow("control character") << QByteArray("<a>\x01</a>") << 1 << 4;
}

void XmlText::defects_are_found_at_their_place() {
  QFETCH(const QByteArray, text);
  QFETCH(const int, line);
  QFETCH(const int, column);
  const auto defect = xml_defect(text.toStdString());
  QVERIFY(defect.has_value());
  const TextPlace place = place_of(text.toStdString(), defect->offset);
  QCOMPARE(place.line, line);
  QCOMPARE(place.column, column);
}

void XmlText::other_encodings_are_refused() {
  const auto offset = [](const std::string& bytes) {
    const auto defect = xml_encoding_defect(bytes);
    return defect ? static_cast<int>(defect->offset) : -1;
  };
  QCOMPARE(offset("<?xml version='1.0' encoding='windows-1252'?><a>\x80</a>"), 20);
  QCOMPARE(offset("<?xml version='1.0' encoding='UTF-8'?><a>\x80</a>"), 41);
  QCOMPARE(offset("<a>\xC3\xA9\xE9</a>"), 5);
  QCOMPARE(offset("<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE9</a>"), -1);
  QCOMPARE(offset("<?xml version='1.0' encoding='us-ascii'?><a/>"), -1);
  QCOMPARE(offset("\xEF\xBB\xBF<a/>"), -1);
  // Two encodings at once: a fatal error (XML 1.0, section 4.3.3).
  QCOMPARE(offset("\xEF\xBB\xBF<?xml version='1.0' encoding='ISO-8859-1'?><a>\xC3\xA9</a>"), 23);
  QCOMPARE(offset("\xEF\xBB\xBF<?xml version='1.0' encoding='utf-8'?><a>\xC3\xA9</a>"), -1);
}

void XmlText::encodings_are_read_as_utf8() {
  const std::string utf8 = "<a b='\xC3\xA9\xF0\x9D\x84\x9E'/>";  // e acute, a clef beyond the basic plane
  QCOMPARE(xml_as_utf8(utf8), utf8);
  QCOMPARE(xml_as_utf8("\xEF\xBB\xBF" + utf8), utf8);
  const std::u16string wide = u"<a b='\u00e9\U0001d11e'/>";
  std::string little, big;
  for (const char16_t c : wide) {
    little += static_cast<char>(c & 0xFF), little += static_cast<char>(c >> 8);
    big += static_cast<char>(c >> 8), big += static_cast<char>(c & 0xFF);
  }
  QCOMPARE(xml_as_utf8("\xFF\xFE" + little), utf8);
  QCOMPARE(xml_as_utf8("\xFE\xFF" + big), utf8);
  QCOMPARE(xml_as_utf8(little), utf8);
  const std::string declared = "<?xml version='1.0' encoding='ISO-8859-1'?>";
  QCOMPARE(xml_as_utf8(declared + "<\xE9/>"), declared + "<\xC3\xA9/>");
}

QTEST_GUILESS_MAIN(XmlText)
#include "tst_xml_text.moc"
