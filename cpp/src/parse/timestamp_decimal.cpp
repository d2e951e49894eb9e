#include "parse/timestamp_decimal.h"

namespace fastvbench::parse {

UnitAt unit_at(const Text& text, const Byte* p) {
  if (p >= text.end) return {kUnitNone, p};
  if (*p < 0x80 || text.letter_at(p) != 0) {
    const Word word = text.word_at(p);
    return {word.unit(), word.end};
  }
  return wide_unit_at(text, p);
}

void add_digits(const Byte* begin, const DigitRun& run, DecimalNumber* number) {
  if (run.count <= 17) {
    number->add_run(run.value, static_cast<int>(run.count));
    return;
  }
  for (const Byte* p = begin; p < run.end;) {
    const bool wide = *p == 0xEF;
    number->add_digit(static_cast<unsigned>(wide ? p[2] - 0x90 : *p - '0'));
    p += wide ? 3 : 1;
  }
}

namespace {

std::int32_t short_count(std::int64_t count) {
  return static_cast<std::int32_t>(count < 5 ? count : 5);
}

/// 2.1 from the point on: ".5", "5.", "e-3"; "1.5.2" and "5..6" are no numbers.
void read_fraction_and_exponent(const Text& text, DecimalNumber* number, Decimal* decimal) {
  const Byte* end = decimal->end;
  const int first = text.at(end);
  if (first == '.') {
    if (text.digit_at(end + 1)) {
      const DigitRun run = text.digits_at(end + 1);
      number->add_point();
      add_digits(end + 1, run, number);
      end = run.end;
    } else if (text.at(end + 1) != ' ' && unit_at(text, end + 1).unit != kUnitNone) {
      end += 1;  // "5.s"
    }
  } else if (first == 0xEF && text.holds(end, 0xEF, 0xBC, 0x8E) && text.digit_at(end + 3)) {
    const DigitRun run = text.digits_at(end + 3);
    number->add_point();
    add_digits(end + 3, run, number);
    end = run.end;
  }
  while (text.at(end) == '.') {  // a further point with digits behind it
    const Byte* after = end;
    while (text.at(after) == '.') ++after;
    if (!text.digit_at(after)) break;
    end = text.digits_at(after).end;
    decimal->is_void = true;
  }
  if (text.at(end) == 'e' || text.at(end) == 'E') {
    const Byte* digits = end + 1;
    const bool negative = text.at(digits) == '-';
    if (negative || text.at(digits) == '+') ++digits;
    const DigitRun run = text.digits_at(digits);
    if (run.count > 0 && text.letter_at(run.end) == 0) {
      // Leading zeros count as digits here; an exponent of so many is taken up to its 18th.
      const Byte* p = digits;
      std::int64_t exponent = 0;
      while (p < run.end) {
        const bool wide = *p == 0xEF;
        exponent = exponent * 10 + (wide ? p[2] - 0x90 : *p - '0');
        if (exponent > 1000000000000) exponent = 1000000000000;
        p += wide ? 3 : 1;
      }
      number->add_exponent(negative ? -exponent : exponent);
      end = run.end;
    }
  }
  decimal->end = end;
}

/// Whether a number may go on behind its digits: everything but "." and what ends it for sure.
bool may_go_on(int byte) {
  return byte == '.' || byte == ',' || byte == 'e' || byte == 'E' || byte == 0xEF;
}

/// "12" and "12.5" with nothing behind them that belongs to a number; false for all else.
bool read_plain_decimal(const Text& text, const DigitRun& whole, Decimal* decimal) {
  static constexpr double kPowers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  static constexpr std::uint64_t kIntegerPowers[] = {
      1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u};
  if (whole.count > 7) return false;
  if (!may_go_on(text.at(whole.end))) {
    decimal->value = static_cast<double>(whole.value);
    decimal->end = whole.end;
    decimal->plain_digits = static_cast<std::int32_t>(whole.count < 5 ? whole.count : 5);
    return true;
  }
  if (text.at(whole.end) != '.' || !is_ascii_digit(text.at(whole.end + 1))) return false;
  const DigitRun fraction = text.digits_at(whole.end + 1);
  const int after = text.at(fraction.end);
  if (fraction.count > 8 || (after != ',' && may_go_on(after))) return false;
  // Both operands are exact, so the one rounding of the division is the right one.
  decimal->value =
      static_cast<double>(whole.value * kIntegerPowers[fraction.count] + fraction.value) /
      kPowers[fraction.count];
  decimal->end = fraction.end;
  return true;
}

}  // namespace

Decimal read_decimal(const Text& text, const Byte* begin, const DigitRun& whole,
                     bool comma_separates) {
  Decimal decimal;
  if (whole.count > 0 && read_plain_decimal(text, whole, &decimal)) return decimal;
  DecimalNumber number;
  decimal.end = whole.end;
  if (whole.count == 0) {  // ".5"
    read_fraction_and_exponent(text, &number, &decimal);
    decimal.value = number.value();
    return decimal;
  }
  add_digits(begin, whole, &number);
  const int next = text.at(whole.end);
  if (next == ',' && text.digit_at(whole.end + 1)) {
    const auto stop_here = [&] {
      decimal.value = number.value();
      decimal.plain_digits = short_count(whole.count);
      return decimal;
    };
    DigitRun group = text.digits_at(whole.end + 1);
    const Byte* group_begin = whole.end + 1;
    if (comma_separates && !range_sign_follows(text, group.end)) return stop_here();
    const bool colon = text.colon_at(group.end);
    if (colon && text.digit_at(text.skip_colon(group.end))) return stop_here();
    if (group.count == 3 && whole.count <= 3 && !whole.begins_with_zero) {
      for (;;) {
        add_digits(group_begin, group, &number);
        decimal.end = group.end;
        if (text.at(group.end) != ',') break;
        group_begin = group.end + 1;
        group = text.digits_at(group_begin);
        if (group.count != 3) break;
      }
      read_fraction_and_exponent(text, &number, &decimal);
      decimal.value = number.value();
      return decimal;
    }
    const bool list_before =
        text.before(begin) == ',' && begin - text.begin >= 2 && text.digit_before(begin - 1);
    const int after = text.at(group.end);
    const bool wide_point = after == 0xEF && text.holds(group.end, 0xEF, 0xBC, 0x8E);
    if (list_before || ((after == '.' || after == ',' || wide_point) &&
                        text.digit_at(group.end + (wide_point ? 3 : 1)))) {
      return stop_here();
    }
    number.add_point();
    add_digits(group_begin, group, &number);
    decimal.end = group.end;
    read_fraction_and_exponent(text, &number, &decimal);
    decimal.value = number.value();
    return decimal;
  }
  if (next == '.' || next == 'e' || next == 'E' || next == 0xEF) {
    read_fraction_and_exponent(text, &number, &decimal);
  }
  decimal.value = number.value();
  if (decimal.end == whole.end) decimal.plain_digits = short_count(whole.count);
  return decimal;
}

}  // namespace fastvbench::parse
