#include <QXmlStreamReader>
#include <QtTest>

#include "core/base/escape_xml.h"

using namespace ergode;

/// Oracle: Qt's XML reader, which refuses what is not well-formed.
class TestEscapeXml : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_character_is_read_back_or_left_out() {
    for (std::uint32_t code = 0; code <= 0x10FFFF; code += code < 0x11000 ? 1 : 997) {
      if (code >= 0xD800 && code <= 0xDFFF) continue;
      const QString letter = QString::fromUcs4(reinterpret_cast<const char32_t*>(&code), 1);
      const std::string text = "a" + letter.toStdString() + "b";
      for (const XmlSpace space : {XmlSpace::kept, XmlSpace::as_references}) {
        const QString seen = read("<x y=\"" + escape_xml(text, space) + "\">" + escape_xml(text, space) + "</x>");
        QVERIFY2(!seen.startsWith("ERROR"), qPrintable(QString("U+%1: %2").arg(code, 4, 16).arg(seen)));
        const bool forbidden = (code < 0x20 && code != 9 && code != 10) || (code >= 0x7F && code <= 0x9F) ||
                               (code >= 0xFDD0 && code <= 0xFDEF) || (code & 0xFFFE) == 0xFFFE;
        if (code == 13) continue;
        QVERIFY2(seen == (forbidden ? QString("ab") : "a" + letter + "b"), qPrintable(QString::number(code, 16)));
      }
    }
  }

  void what_is_no_utf_8_is_left_out_data() {
    QTest::addColumn<QByteArray>("bytes");
    for (const char* bytes :
         {"\x80", "\xC0\xAF", "\xC1\x81", "\xE0\x80\xAF", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x80\x80\xAF",
          "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xFF", "\xEF\xBF\xBE", "\xEF\xBF\xBF", "\xE2\x82", "\xC3"})
      QTest::newRow(QByteArray(bytes).toHex()) << QByteArray(bytes);
  }
  void what_is_no_utf_8_is_left_out() {
    QFETCH(QByteArray, bytes);
    const std::string text = "a" + bytes.toStdString() + "b";
    QCOMPARE(escape_xml(text), std::string("ab"));
    QCOMPARE(escape_xml(bytes.toStdString()), std::string());
  }

  void attributes_keep_their_spaces() {
    const std::string text = "a\tb\nc\rd <&>\"'";
    QCOMPARE(read("<x y=\"" + escape_xml(text, XmlSpace::as_references) + "\"/>", true).toStdString(), text);
  }

 private:
  static QString read(const std::string& xml, bool attribute = false) {
    QXmlStreamReader reader(QByteArray::fromStdString(xml));
    QString text;
    while (!reader.atEnd()) {
      reader.readNext();
      if (reader.isStartElement() && attribute) text += reader.attributes().value("y");
      if (reader.isCharacters()) text += reader.text();
    }
    return reader.hasError() ? "ERROR " + reader.errorString() : text;
  }
};

QTEST_GUILESS_MAIN(TestEscapeXml)
#include "tst_escape_xml.moc"
