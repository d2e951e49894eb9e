#include "parse/choice_options.h"

#include "parse/choice_words.h"

namespace fastvbench::parse::choice {
namespace {

constexpr int kMostCueSteps = 8;
constexpr std::int64_t kFewestSlots = 64;  // a power of two

bool is_one_of(char32_t code, const char32_t* set) {
  for (; *set != 0; ++set) {
    if (*set == code) return true;
  }
  return false;
}

std::uint64_t key_of(const Token& token) {
  return token.kind == Kind::kWord ? token.hash : hash_step(kHashSeed, token.code);
}

// One option however often it is mentioned, else several, at the first mention.
void merge(const Found& hit, Found* result) {
  if (!*result) {
    *result = hit;
  } else if (result->index != hit.index) {
    result->index = kSeveral;
  }
}

}  // namespace

// ---- options ----------------------------------------------------------------------------------

bool OptionTexts::set_options(const TextColumn& texts, std::int64_t begin, std::int64_t end) {
  count_ = 0;
  ids_.clear();
  entries_.clear();
  if (!rehash(kFewestSlots)) return false;
  for (std::int64_t i = begin; i < end; ++i) {
    if (!add_option(texts[i])) return false;
  }
  return true;
}

// The number of tokens of the label that some files put before an option: "(B) red", "B. red".
// `tokens` are the first of the option, at least three where it has as many.
std::int64_t OptionTexts::label_size(const Token* tokens, std::int64_t count) {
  const bool bracketed = count > 0 && tokens[0].kind == Kind::kMark &&
                         (tokens[0].code == '(' || tokens[0].code == '[');
  const std::int64_t letter = bracketed ? 1 : 0;
  if (letter + 2 >= count) return 0;
  const Token& close = tokens[letter + 1];
  if (tokens[letter].letter < 0 || !tokens[letter].upper) return 0;
  if (!close.glued || close.kind != Kind::kMark) return 0;
  if (!is_one_of(close.code, bracketed ? U")]" : U").:") || tokens[letter + 2].glued) return 0;
  return letter + 2;
}

bool OptionTexts::may_be_whole(TextView option, const Token* tokens, Region region) {
  constexpr int kHead = 4;  // enough to know a label
  Token head[kHead];
  int heads = 0;
  Tokenizer tokenizer(option.data, 0, option.size < 0 ? 0 : option.size);
  while (heads < kHead && tokenizer.next(&head[heads])) ++heads;
  const std::int64_t label = label_size(head, heads);
  std::int64_t next = label;
  std::int64_t at = region.low;
  bool any_atom = false;
  for (;; ++next) {
    if (next >= heads) {
      if (!tokenizer.next(&head[0])) break;
    }
    const Token& wanted = next < heads ? head[next] : head[0];
    if (!is_atom(wanted)) continue;
    any_atom = true;
    while (at < region.high && !is_atom(tokens[at])) ++at;
    if (at == region.high) return false;
    const Token& given = tokens[at++];
    if (wanted.kind != given.kind || wanted.hash != given.hash || wanted.code != given.code) {
      return false;
    }
  }
  if (!any_atom) return label > 0;  // the label is the text: leave it to the full comparison
  while (at < region.high && !is_atom(tokens[at])) ++at;
  return at == region.high;
}

bool OptionTexts::add_option(TextView text) {
  const std::int64_t size = text.size < 0 ? 0 : text.size;
  if (!tokenize(text.data, 0, size, &option_tokens_)) return false;
  std::int64_t atom_count = 0;
  const Token* last = nullptr;
  std::int64_t begin = label_size(option_tokens_.data(), option_tokens_.size());
  bool has_text = false;
  for (std::int64_t i = begin; i < option_tokens_.size() && !has_text; ++i) {
    has_text = is_atom(option_tokens_[i]);
  }
  if (!has_text) begin = 0;
  for (std::int64_t i = begin; i < option_tokens_.size(); ++i) {
    const Token& token = option_tokens_[i];
    if (!is_atom(token)) continue;
    if (2 * (entries_.size() + 1) > slots_.size() && !rehash(2 * slots_.size())) return false;
    const std::int64_t slot = slot_for(token, text.data);
    if (slots_[slot] < 0) {
      if (!entries_.push_back({token, text.data})) return false;
      slots_[slot] = entries_.size() - 1;
    }
    if (!ids_.push_back(slots_[slot])) return false;
    last = &token;
    ++atom_count;
  }
  lone_letters_[count_] = atom_count == 1 ? last->letter : -1;
  numbers_[count_].size = 0;
  if (atom_count == 1) numbers_[count_] = read_canonical_number(*last, text.data);
  ends_[++count_] = ids_.size();
  return true;
}

bool OptionTexts::rehash(std::int64_t slot_count) {
  if (!slots_.resize(slot_count)) return false;
  for (std::int64_t slot = 0; slot < slot_count; ++slot) slots_[slot] = -1;
  for (std::int64_t entry = 0; entry < entries_.size(); ++entry) {
    slots_[slot_for(entries_[entry].token, entries_[entry].text)] = entry;
  }
  return true;
}

// The slot of this atom's entry, or the free one where it belongs.
std::int64_t OptionTexts::slot_for(const Token& token, const char* text) const {
  const auto mask = static_cast<std::uint64_t>(slots_.size() - 1);
  std::uint64_t slot = (key_of(token) * 0x9E3779B97F4A7C15ull) >> 32;
  for (;; ++slot) {
    slot &= mask;
    const std::int64_t index = slots_[static_cast<std::int64_t>(slot)];
    if (index < 0) return static_cast<std::int64_t>(slot);
    const Entry& entry = entries_[index];
    const bool words = token.kind == Kind::kWord && entry.token.kind == Kind::kWord;
    const bool same = words ? same_word(token, text, entry.token, entry.text)
                            : token.kind == entry.token.kind && token.code == entry.token.code;
    if (same) return static_cast<std::int64_t>(slot);
  }
}

// ---- numbers ----------------------------------------------------------------------------------

// The atom of the answer's only number, or -1; "one" is a number only where there is no other.
std::int64_t OptionTexts::sole_number(CanonicalNumber* number) const {
  std::int64_t first = -1;
  std::int64_t one = -1;
  for (std::int64_t atom = 0; atom < atoms_.size(); ++atom) {
    const Token& word = token(atom);
    if (word.kind != Kind::kWord) continue;
    if ((word.classes & kWordOne) != 0) {
      if (one < 0) one = atom;
      continue;
    }
    const CanonicalNumber value = read_canonical_number(word, text_);
    if (value.size == 0 && !value.looks_numeric) continue;
    if (first < 0) {
      first = atom;
      *number = value;
    } else if (!value.same(*number)) {
      return -1;
    }
  }
  if (first >= 0) return first;
  if (one >= 0) *number = read_canonical_number(token(one), text_);
  return one;
}

// ---- the answer -------------------------------------------------------------------------------

bool OptionTexts::set_answer(const char* text, const Token* tokens, Region region) {
  text_ = text;
  tokens_ = tokens;
  region_ = region;
  atoms_.clear();
  for (std::int64_t i = region.low; i < region.high; ++i) {
    if (!is_atom(tokens[i])) continue;
    const std::int64_t id = slots_[slot_for(tokens[i], text)];
    if (!atoms_.push_back({i, id})) return false;
  }
  return find_all();
}

Found OptionTexts::whole() const {
  Found result;
  for (int option = 0; option < count_; ++option) {
    const std::int64_t size = size_of(option);
    if (size == 0 || size != atoms_.size()) continue;
    std::int64_t same = 0;
    while (same < size && ids_[ends_[option] + same] == atoms_[same].id) ++same;
    if (same == size) merge(found(0, size, option), &result);
  }
  return result;
}

bool OptionTexts::find_all() {
  if (!matches_.resize(atoms_.size())) return false;
  for (std::int64_t atom = 0; atom < matches_.size(); ++atom) matches_[atom] = {0, -1};
  for (int option = 0; option < count_; ++option) {
    if (size_of(option) == 0 || numbers_[option].size > 0 || lone_letters_[option] >= 0) continue;
    if (!mark_option(option)) return false;
  }
  return true;
}

// Knuth, Morris and Pratt over ids: linear also for periodic texts.
bool OptionTexts::mark_option(int option) {
  const std::int64_t size = size_of(option);
  const std::int64_t* ids = ids_.data() + ends_[option];
  if (!failures_.resize(size)) return false;
  failures_[0] = 0;
  std::int64_t state = 0;
  for (std::int64_t i = 1; i < size; ++i) {
    while (state > 0 && ids[i] != ids[state]) state = failures_[state - 1];
    if (ids[i] == ids[state]) ++state;
    failures_[i] = state;
  }
  state = 0;
  for (std::int64_t atom = 0; atom < atoms_.size(); ++atom) {
    const std::int64_t id = atoms_[atom].id;
    while (state > 0 && (state == size || id != ids[state])) state = failures_[state - 1];
    if (id == ids[state]) ++state;
    if (state < size) continue;
    Match& match = matches_[atom + 1 - size];
    if (match.size < size) {
      match = {size, option};
    } else if (match.size == size) {
      match.option = kSeveral;
    }
  }
  return true;
}

Found OptionTexts::named(const Found& letter) const {
  Found result;
  for (int option = 0; option < count_; ++option) {
    if (lone_letters_[option] == letter.index) merge({option, letter.first, letter.last}, &result);
  }
  return result;
}

Found OptionTexts::after_cue(std::int64_t first, std::int64_t stop) const {
  std::int64_t low = 0;
  std::int64_t high = atoms_.size();
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (atoms_[middle].token < first) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (int step = 0; step < kMostCueSteps && low + step < atoms_.size(); ++step) {
    if (atoms_[low + step].token > stop) break;
    if (const Found hit = match_at(low + step)) return hit;
  }
  return Found();
}

// After this token comes no word: the text ends, or a mark or a line's end follows.
bool OptionTexts::ends_clause(std::int64_t last) const {
  std::int64_t i = last + 1;
  while (i < region_.high && tokens_[i].kind == Kind::kWrap) ++i;
  if (i >= region_.high) return true;
  const Token& token = tokens_[i];
  return token.kind == Kind::kLine || token.kind == Kind::kClose ||
         (token.kind == Kind::kMark && is_one_of(token.code, U".,:;!)]—…\"'"));
}

Found OptionTexts::first_on_line() const {
  Found result;
  for (std::int64_t atom = 0; atom < atoms_.size(); ++atom) {
    const Found hit = match_at(atom);
    if (!hit) continue;
    bool opens_line = atom == 0;
    if (atom > 0) {
      for (std::int64_t i = atoms_[atom - 1].token + 1; i < hit.first; ++i) {
        opens_line = opens_line || tokens_[i].kind == Kind::kLine;
      }
    }
    if (opens_line && ends_clause(hit.last)) merge(hit, &result);
  }
  return result;
}

// A denial stands right before: "not red", "isn't a red".
bool OptionTexts::denied(std::int64_t atom) const {
  std::int64_t before = atom - 1;
  if (before >= 0 && (token(before).classes & kWordArticle) != 0) --before;
  return before >= 0 && (token(before).classes & (kNot | kRejecter)) != 0;
}

// Mentions inside a longer option's mention don't count.
Found OptionTexts::mentioned() const {
  Found result;
  std::int64_t reach = 0;
  for (std::int64_t atom = 0; atom < atoms_.size(); ++atom) {
    const Found hit = match_at(atom);
    if (!hit) continue;
    const std::int64_t end = atom + matches_[atom].size;
    const bool covered = end <= reach;
    if (end > reach) reach = end;
    if (!covered && !denied(atom)) merge(hit, &result);
  }
  bool any_number = false;
  for (int option = 0; option < count_; ++option) any_number |= numbers_[option].size > 0;
  if (!any_number) return result;
  CanonicalNumber number;
  const std::int64_t atom = sole_number(&number);
  if (atom < 0) return result;
  for (int option = 0; option < count_; ++option) {
    if (number.same(numbers_[option])) merge(found(atom, 1, option), &result);
  }
  return result;
}

}  // namespace fastvbench::parse::choice
