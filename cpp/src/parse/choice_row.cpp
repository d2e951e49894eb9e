#include "parse/choice_row.h"

#include "parse/choice_refusals.h"
#include "parse/choice_words.h"
#include "parse/thinking.h"

namespace fastvbench::parse::choice {
namespace {

bool is_content(const Token& token) {
  return token.kind == Kind::kWord || token.kind == Kind::kCjk;
}

}  // namespace

bool RowReader::parse(TextView text, const RowOptions& options, Parsed* parsed,
                      bool* texts_matter) {
  *texts_matter = false;
  if (!options.same_as_before) options_ready_ = false;
  if (text.size < 0) {
    set_status(AnswerStatus::kMissing, parsed);
    return true;
  }
  std::int64_t begin = 0;
  if (may_reason(text.data, text.size)) {
    const Reasoning reasoning = skip_reasoning(text.data, text.size);
    if (reasoning.truncated) {
      set_status(AnswerStatus::kTruncated, parsed);
      return true;
    }
    begin = reasoning.answer_begin;
  }
  text_ = text.data;
  count_ = options.count;
  options_ = options;
  has_texts_ = options.texts != nullptr;
  texts_ready_ = false;
  if (!tokenize(text.data, begin, text.size, &tokens_)) return false;
  return parse_tokens(parsed, texts_matter);
}

bool RowReader::may_be_whole_text() const {
  for (std::int64_t k = 0; k < options_.count; ++k) {
    const TextView option = (*options_.texts)[options_.first + k];
    if (OptionTexts::may_be_whole(option, tokens_.data(), region_)) return true;
  }
  return false;
}

// Option texts are read only for rows whose letters leave a doubt.
bool RowReader::prepare_texts() {
  if (texts_ready_) return true;
  if (!options_ready_) {
    const std::int64_t end = options_.first + options_.count;
    if (!texts_.set_options(*options_.texts, options_.first, end)) return false;
    options_ready_ = true;
  }
  texts_ready_ = texts_.set_answer(text_, tokens_.data(), region_);
  return texts_ready_;
}

bool RowReader::parse_tokens(Parsed* parsed, bool* texts_matter) {
  const Token* tokens = tokens_.data();
  bool blank = true;
  for (std::int64_t i = 0; i < tokens_.size() && blank; ++i) blank = is_blank(tokens[i]);
  if (blank) {
    set_status(AnswerStatus::kEmpty, parsed);
    return true;
  }
  if (!answer_region(text_, tokens, tokens_.size(), &region_)) {
    set_status(AnswerStatus::kNoAnswer, parsed);
    return true;
  }
  LetterReader reader(tokens, region_, count_);
  const Found whole = reader.whole();
  if (whole && whole.index < count_ && whole.index != kSeveral) {
    set_result(whole, parsed);
    return true;
  }
  *texts_matter = true;
  if (has_texts_ && may_be_whole_text()) {
    if (!prepare_texts()) return false;
    if (const Found found = texts_.whole()) {
      set_result(found, parsed);
      return true;
    }
  }
  if (whole) {
    set_result(whole, parsed);
    return true;
  }
  if (const Found found = word_of_letters()) {
    set_result(found, parsed);
    return true;
  }
  reader.read();
  return decide(reader, parsed);
}

void RowReader::set_result(const Found& found, Parsed* parsed) const {
  parsed->begin = tokens_[found.first].begin;
  parsed->end = tokens_[found.last].end;
  parsed->index = -1;
  if (found.index == kSeveral) {
    parsed->status = AnswerStatus::kAmbiguous;
  } else if (found.index >= count_) {
    parsed->status = AnswerStatus::kNotAnOption;
  } else {
    parsed->status = AnswerStatus::kOk;
    parsed->index = static_cast<std::int8_t>(found.index);
  }
}

// The whole answer is one word that lists option letters in rising order, such as "ABCD".
Found RowReader::word_of_letters() const {
  std::int64_t word = -1;
  for (std::int64_t i = region_.low; i < region_.high; ++i) {
    if (!is_content(tokens_[i])) continue;
    if (word >= 0) return Found();
    word = i;
  }
  if (word < 0 || tokens_[word].kind != Kind::kWord || !tokens_[word].capitals) return Found();
  char32_t previous = 0;
  std::int64_t letters = 0;
  for (std::int64_t i = tokens_[word].begin; i < tokens_[word].end; ++letters) {
    const Glyph glyph = read_glyph(text_, tokens_[word].end, i);
    if (glyph.code <= previous || glyph.code - 'a' >= count_) return Found();
    previous = glyph.code;
    i += glyph.size;
  }
  return letters < 2 ? Found() : Found{kSeveral, word, word};
}

bool RowReader::decide(const LetterReader& reader, Parsed* parsed) {
  const Found declared = reader.declared.last(reader.rejected);
  if (has_texts_ && reader.text_cue_first >= 0 && reader.text_cue_first > declared.first) {
    if (!prepare_texts()) return false;
    if (const Found found = texts_.after_cue(reader.text_cue_first, reader.text_cue_stop)) {
      set_result(found, parsed);
      return true;
    }
  }
  // The first of these that has candidates decides, unless its letter is outside the alphabet.
  Found outside = declared ? declared : reader.concluded.last(reader.rejected);
  if (!outside) {
    outside = reader.labelled.only(reader.rejected, count_, true);
    if (reader.enumerated || outside.index == kSeveral) {
      const Found stated = reader.stated.only(reader.rejected, count_, true);
      if (stated && stated.index < count_) outside = stated;
    }
  }
  if (outside.decides(count_)) {
    set_result(outside, parsed);
    return true;
  }
  if (has_texts_) {
    if (!prepare_texts()) return false;
    if (const Found found = outside ? texts_.named(outside) : Found()) {
      set_result(found, parsed);
      return true;
    }
    if (const Found found = texts_.first_on_line()) {
      set_result(found, parsed);
      return true;
    }
  }
  const Found mentioned = has_texts_ ? texts_.mentioned() : Found();
  if (!outside) {
    if (const Found words = find_refusal(text_, tokens_.data(), region_); words.first >= 0) {
      if (mentioned && mentioned.first <= words.first && words.last <= mentioned.last) {
        set_result(mentioned, parsed);
      } else {
        *parsed = {AnswerStatus::kRefused, -1, tokens_[words.first].begin, tokens_[words.last].end};
      }
      return true;
    }
    const Found letters = reader.mentioned.only(reader.rejected, count_, false);
    const bool inside = mentioned && mentioned.index != kSeveral &&
                        mentioned.first <= letters.first && letters.last <= mentioned.last;
    if (letters.decides(count_) && !inside) {
      set_result(letters, parsed);
      return true;
    }
  }
  if (mentioned || outside) {
    set_result(mentioned ? mentioned : outside, parsed);
  } else if (reader.enumerated) {
    set_status(AnswerStatus::kAmbiguous, parsed);
  } else {
    set_status(reader.ends_armed ? AnswerStatus::kTruncated : AnswerStatus::kNoAnswer, parsed);
  }
  return true;
}

}  // namespace fastvbench::parse::choice
