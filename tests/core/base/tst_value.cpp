#include <QtTest>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/value.h"

using namespace ergode;
using Json = nlohmann::ordered_json;

/// The values of JSON against those of the library that reads and writes its text.
class TestValue : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void random_documents_are_read_and_written_as_the_library_does();
  void braces_make_objects_and_lists();
  void numbers_keep_their_kind();
  void equality_is_that_of_the_library();
  void keys_keep_their_order();
  void what_is_held_may_be_assigned_from_itself();
  void what_is_not_there_is_an_exception();
  void texts_that_are_no_json_are_refused();
  void texts_that_are_not_utf_8_are_refused_or_replaced();

 private:
  /// Any document of the library, at most `depth` levels deep.
  static Json random_json(std::mt19937& random, int depth) {
    const int kind = static_cast<int>(random() % (depth > 0 ? 8 : 6));
    const auto word = [&] {
      static const char* const words[] = {"", "a", "name", "\"\\\n\t\x01", "\xc3\xa9\xe2\x82\xac", "x/y~z"};
      return std::string(words[random() % std::size(words)]);
    };
    switch (kind) {
      case 0:
        return nullptr;
      case 1:
        return random() % 2 == 0;
      case 2:
        return -static_cast<std::int64_t>(random());
      case 3:
        return static_cast<std::uint64_t>(random()) << (random() % 33U);
      case 4:
        return std::ldexp(static_cast<double>(random()) - 2e9, static_cast<int>(random() % 400U) - 200);
      case 5:
        return word();
      case 6: {
        Json out = Json::array();
        for (auto n = random() % 5; n > 0; --n) out.push_back(random_json(random, depth - 1));
        return out;
      }
      default: {
        Json out = Json::object();
        for (auto n = random() % 5; n > 0; --n) out[word() + std::to_string(n)] = random_json(random, depth - 1);
        return out;
      }
    }
  }
};

void TestValue::random_documents_are_read_and_written_as_the_library_does() {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const Json wanted = random_json(random, 4);
    const Value value = Value::parse(wanted.dump());
    QCOMPARE(value.dump(), wanted.dump());
    QCOMPARE(value.dump(2), wanted.dump(2));
    QVERIFY(value == Value::parse(wanted.dump(1)));
    const Value copy = value;
    QCOMPARE(copy.dump(), wanted.dump());
    QCOMPARE(value.size(), wanted.size());
  }
}

void TestValue::braces_make_objects_and_lists() {
  const std::map<std::string, std::string> texts = {{"b", "1"}, {"a", "2"}};
  const std::string name = "n";
  const Value value = {{"name", name},    {"list", {1, 2.5, "x"}}, {"texts", texts},
                       {"none", nullptr}, {"yes", true},           {"points", Value::array({Value::array({1, 2})})}};
  const Json wanted = {{"name", name},    {"list", {1, 2.5, "x"}}, {"texts", texts},
                       {"none", nullptr}, {"yes", true},           {"points", Json::array({Json::array({1, 2})})}};
  QCOMPARE(value.dump(), wanted.dump());
  QCOMPARE(Value({1, 2}).dump(), std::string("[1,2]"));
  QCOMPARE(Value({{"a", 1}}).dump(), Json({{"a", 1}}).dump());
  QCOMPARE(Value({{"a", 1}, {"a", 2}}).dump(), Json({{"a", 1}, {"a", 2}}).dump());
  QCOMPARE(Value::object().dump(2), std::string("{}"));
  QCOMPARE(Value::array().dump(2), std::string("[]"));
  QCOMPARE(Value(std::vector<double>{0.5, 2}).dump(), std::string("[0.5,2.0]"));
}

void TestValue::numbers_keep_their_kind() {
  for (const char* text : {"0", "-1", "18446744073709551615", "-9223372036854775808", "1.0", "1e300", "0.1", "-0.0"}) {
    const Json wanted = Json::parse(text);
    const Value value = Value::parse(text);
    QCOMPARE(value.dump(), wanted.dump());
    QCOMPARE(value.is_number_integer(), wanted.is_number_integer());
    QCOMPARE(value.is_number_unsigned(), wanted.is_number_unsigned());
    QCOMPARE(value.is_number_float(), wanted.is_number_float());
    QCOMPARE(value.get<double>(), wanted.get<double>());
  }
  QCOMPARE(Value(std::numeric_limits<double>::infinity()).dump(), std::string("null"));
}

void TestValue::equality_is_that_of_the_library() {
  const char* const texts[] = {"null",
                               "true",
                               "1",
                               "1.0",
                               "-1",
                               "18446744073709551615",
                               "\"1\"",
                               "[1,2]",
                               "[2,1]",
                               "[1,2.0]",
                               R"({"a":1,"b":2})",
                               R"({"b":2,"a":1})",
                               R"({"a":1.0,"b":2})",
                               "[]",
                               "{}"};
  for (const char* a : texts)
    for (const char* b : texts)
      QVERIFY2((Value::parse(a) == Value::parse(b)) == (Json::parse(a) == Json::parse(b)),
               (std::string(a) + " " + b).c_str());
}

void TestValue::keys_keep_their_order() {
  Value value;
  value["z"] = 1, value["a"] = 2, value["m"] = 3, value["a"] = 4;
  QCOMPARE(value.dump(), std::string(R"({"z":1,"a":4,"m":3})"));
  QCOMPARE(value.erase("a"), std::size_t{1});
  QCOMPARE(value.erase("a"), std::size_t{0});
  value.update({{"m", 5}, {"n", 6}});
  QCOMPARE(value.dump(), std::string(R"({"z":1,"m":5,"n":6})"));
  std::string keys;
  for (const auto& [key, unused] : value.items()) keys += key;
  QCOMPARE(keys, std::string("zmn"));
  const Value& seen = value;
  QVERIFY(seen.find("m") != seen.end() && seen.find("m")->get<int>() == 5 && seen.find("m").key() == "m");
  QVERIFY(seen.find("q") == seen.end());
  QCOMPARE(Value::parse(R"({"a":1,"b":2,"a":3})").dump(), Json::parse(R"({"a":1,"b":2,"a":3})").dump());
}

void TestValue::what_is_held_may_be_assigned_from_itself() {
  Value value = {{"inner", {{"text", "kept"}}}};
  value = value["inner"];
  QCOMPARE(value.dump(), std::string(R"({"text":"kept"})"));
  value = std::move(value["text"]);
  QCOMPARE(value.get<std::string>(), std::string("kept"));
  const Value& same = value;
  value = same;
  QCOMPARE(value.get<std::string>(), std::string("kept"));
  Value list = Value::array({1});
  list.push_back(list);
  QCOMPARE(list.dump(), std::string("[1,[1]]"));
}

void TestValue::what_is_not_there_is_an_exception() {
  const Value value = {{"n", 1}, {"list", Value::array({1})}};
  QVERIFY_THROWS_EXCEPTION(Value::Exception, value.at("m"));
  QVERIFY_THROWS_EXCEPTION(Value::Exception, value.at("list").at(1));
  QVERIFY_THROWS_EXCEPTION(Value::Exception, value.at("n").get<std::string>());
  QVERIFY_THROWS_EXCEPTION(Value::Exception, Value("x").get<double>());
  QVERIFY_THROWS_EXCEPTION(Value::Exception, Value(1).value("key", 2));
  QVERIFY_THROWS_EXCEPTION(Value::Exception, value.value("n", "text"));
  QCOMPARE(value.value("m", "text"), std::string("text"));
  QCOMPARE(value.value("n", 7), 1);
}

void TestValue::texts_that_are_no_json_are_refused() {
  for (const char* text : {"", "{", "[1,]", "nul", "{\"a\"}", "1 2", "\"\xff\""}) {
    QVERIFY(!Json::accept(text));
    QVERIFY(Value::parse_or_discard(text).is_discarded());
    QVERIFY_THROWS_EXCEPTION(Value::Exception, Value::parse(text));
  }
  const std::string deep(900, '['), too_deep(100000, '[');
  QVERIFY(Value::parse(deep + std::string(900, ']')).is_array());
  QVERIFY(Value::parse_or_discard(too_deep + std::string(100000, ']')).is_discarded());
}

void TestValue::texts_that_are_not_utf_8_are_refused_or_replaced() {
  for (const char* text : {"\xff", "a\xc3", "\xe2\x82z", "ok\x80"}) {
    QVERIFY_THROWS_EXCEPTION(Value::Exception, Value(text).dump());
    QCOMPARE(Value(text).dump(-1, Value::BadText::replace),
             Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
  }
}

QTEST_APPLESS_MAIN(TestValue)
#include "tst_value.moc"
