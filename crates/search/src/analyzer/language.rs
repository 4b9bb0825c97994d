//! Stemming by the text's own language, beside the English stem that every text has.
//!
//! An agent's language is detected once, on its longest texts. Each of its words is then indexed
//! twice at one position: under its English stem, and under its own language's stem with the
//! language's code before it (`de:rechnung`). The code keeps languages apart: what two words share
//! in one language is chance in another. A query has too few words to tell its language, so its
//! words are looked for in every language that the index holds.

use super::{Words, collect};
use manifest::agent::Agent;
use std::collections::BTreeSet;
use tantivy::tokenizer::{
    AsciiFoldingFilter, Language as Stemming, LowerCaser, RawTokenizer, Stemmer, TextAnalyzer,
    Tokenizer,
};
use whichlang::{Lang, detect_language};

/// Characters that are looked at to tell a language: English is taken for another one in 1 of 3,000
/// texts of this length, and in 11 of 3,000 half as long.
const SAMPLE: usize = 200;
/// Of Polish texts, more than one letter in so many is one of its own.
const SHARE_OF_POLISH: usize = 40;
/// With fewer characters every guess is a coin toss.
const MIN_SAMPLE: usize = 40;

/// A language other than English that is recognised and has a stemmer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Language {
    /// ISO 639-1.
    pub(crate) code: &'static str,
    lang: Lang,
    stemming: Stemming,
}

const fn language(code: &'static str, lang: Lang, stemming: Stemming) -> Language {
    Language {
        code,
        lang,
        stemming,
    }
}

/// Every language but English that is recognised and has a stemmer.
pub(crate) const ALL: &[Language] = &[
    language("ar", Lang::Ara, Stemming::Arabic),
    language("de", Lang::Deu, Stemming::German),
    language("es", Lang::Spa, Stemming::Spanish),
    language("fr", Lang::Fra, Stemming::French),
    language("it", Lang::Ita, Stemming::Italian),
    language("nl", Lang::Nld, Stemming::Dutch),
    language("pt", Lang::Por, Stemming::Portuguese),
    language("ru", Lang::Rus, Stemming::Russian),
    language("sv", Lang::Swe, Stemming::Swedish),
    language("tr", Lang::Tur, Stemming::Turkish),
];

/// Returns the language of an agent's longest texts (ISO 639-1); nothing for texts that are too short to
/// tell.
pub fn detect(agent: &Agent) -> Option<&'static str> {
    let capabilities = agent.capabilities.iter();
    let mut texts: Vec<&str> = capabilities
        .flat_map(|it| it.description.iter().chain(&it.examples))
        .chain(&agent.description)
        .map(String::as_str)
        .collect();
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    let mut sample = String::with_capacity(SAMPLE * 2);
    let mut room = SAMPLE;
    for text in texts {
        if room == 0 {
            break;
        }
        sample.extend(text.chars().take(room));
        sample.push('\n');
        room = room.saturating_sub(text.chars().take(room).count());
    }
    let is_enough = sample.chars().take(MIN_SAMPLE).count() == MIN_SAMPLE;
    is_enough.then(|| of_text(&sample))
}

/// Returns the language that a text is most likely in (ISO 639-1).
pub(crate) fn of_text(text: &str) -> &'static str {
    // The detector knows neither of these two, which their letters tell.
    let count = |is_own: fn(char) -> bool| text.chars().filter(|it| is_own(*it)).count();
    let letters = count(char::is_alphabetic);
    if count(is_thai) * 2 > letters {
        return "th";
    }
    let polish = count(is_polish);
    let detected = code(detect_language(text));
    // A name alone has such letters in an English text, but in no text that is taken for another.
    let share = if detected == "en" {
        SHARE_OF_POLISH
    } else {
        3 * SHARE_OF_POLISH
    };
    if polish * share > letters {
        return "pl";
    }
    detected
}

/// Reports whether a character is Thai.
fn is_thai(character: char) -> bool {
    ('\u{E00}'..='\u{E7F}').contains(&character)
}

/// Reports whether a letter is one that Polish has, and no other language that is detected.
fn is_polish(character: char) -> bool {
    "ąćęłńśźżĄĆĘŁŃŚŹŻ".contains(character)
}

/// Returns the ISO 639-1 code of a language.
fn code(lang: Lang) -> &'static str {
    let stemmed = ALL.iter().find(|it| it.lang == lang).map(|it| it.code);
    stemmed.unwrap_or(match lang {
        Lang::Cmn => "zh",
        Lang::Hin => "hi",
        Lang::Jpn => "ja",
        Lang::Kor => "ko",
        Lang::Vie => "vi",
        _ => "en",
    })
}

impl Language {
    /// Returns the language of a BCP 47 tag, such as `pt-BR`; `None` for English, and for one
    /// without a stemmer.
    pub(crate) fn of_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next()?;
        ALL.iter()
            .copied()
            .find(|it| primary.eq_ignore_ascii_case(it.code))
    }

    /// Returns the term that every agent of this language has.
    pub(crate) fn marker(self) -> String {
        format!("{}:", self.code)
    }

    /// Returns the stems of a text, one for each of [`super::terms`]; nothing where there is
    /// nothing to stem.
    pub(crate) fn stems(self, text: &str) -> Vec<Option<String>> {
        collect(self.analyzer(Words), text)
            .into_iter()
            .map(|term| self.term(&term.text))
            .collect()
    }

    /// Reports whether the stem of a word may begin with one of these characters.
    pub(crate) fn may_begin(self, word: &str, beginnings: &BTreeSet<char>) -> bool {
        // These two stemmers remove prefixes, too.
        let removes_prefixes = matches!(self.stemming, Stemming::Arabic | Stemming::Dutch);
        // Other letters change when they are folded.
        let first = word.chars().next().filter(char::is_ascii);
        removes_prefixes || first.is_none_or(|it| beginnings.contains(&it.to_ascii_lowercase()))
    }

    /// Returns the first character of the stem in a term; `None` for a term of another language.
    pub(crate) fn beginning(self, term: &str) -> Option<char> {
        let stem = term.strip_prefix(self.code)?.strip_prefix(':')?;
        stem.chars().next()
    }

    /// Returns the stem of one word as it is written; nothing where there is nothing to stem.
    pub(super) fn stem(self, word: &str) -> Option<String> {
        self.stem_with(&mut self.stemmer(), word)
    }

    /// Returns the same with a [stemmer](Self::stemmer) that is kept for many words.
    pub(crate) fn stem_with(self, stemmer: &mut TextAnalyzer, word: &str) -> Option<String> {
        self.term(&super::word(stemmer, word))
    }

    /// Returns the stemmer of single words.
    pub(crate) fn stemmer(self) -> TextAnalyzer {
        self.analyzer(RawTokenizer::default())
    }

    fn analyzer(self, words: impl Tokenizer) -> TextAnalyzer {
        TextAnalyzer::builder(words)
            .filter(LowerCaser)
            .filter(Stemmer::new(self.stemming))
            .filter(AsciiFoldingFilter)
            .build()
    }

    /// Returns the term of a stem; `None` if the text is not a word.
    fn term(self, stem: &str) -> Option<String> {
        let is_word = stem.chars().all(char::is_alphabetic);
        is_word.then(|| format!("{}:{stem}", self.code))
    }
}

#[cfg(test)]
mod tests {
    use super::super::segment;
    use super::*;
    use proptest::prelude::*;

    fn agent(description: &str) -> Agent {
        Agent {
            description: Some(description.to_owned()),
            ..Agent::default()
        }
    }

    #[test]
    fn the_language_is_detected_from_the_longest_texts() {
        let table: &[(&str, &str)] = &[
            ("", ""),
            ("Bonjour", ""),
            ("Searches products and adds them to the cart of a shop.", ""),
            (
                "Wir reservieren Tische in Restaurants und schreiben Rechnungen für kleine Betriebe.",
                "de",
            ),
            (
                "Réservez une table dans les meilleurs restaurants de la ville et recevez une confirmation.",
                "fr",
            ),
            (
                "Reserva una mesa en los mejores restaurantes de la ciudad y recibe la confirmación.",
                "es",
            ),
            (
                "Faça a reserva de uma mesa nos melhores restaurantes da cidade e receba a confirmação.",
                "pt",
            ),
            (
                "Prenota un tavolo nei migliori ristoranti della città e ricevi subito la conferma.",
                "it",
            ),
            (
                "Забронируйте столик в лучших ресторанах города и получите подтверждение по почте.",
                "ru",
            ),
            (
                "東京のレストランの予約をお手伝いします。営業時間と空席を調べて、予約の確認をお送りします。",
                "",
            ),
            (
                "为您预订城市中最好的餐厅,查询营业时间和空位,并发送预订确认邮件,支持多人预订和取消服务。",
                "",
            ),
        ];
        for (text, code) in table {
            let found = detect(&agent(text)).and_then(Language::of_tag);
            let found = found.map_or("", |it| it.code);
            assert_eq!(found, *code, "{text}");
        }
    }

    #[test]
    fn polish_and_thai_are_told_by_their_letters() {
        for (text, code) in [
            (
                "Umów wizytę u weterynarza, także w sobotę; przyjmujemy psy i koty.",
                "pl",
            ),
            (
                "Kup bilet na tramwaj, pociąg lub koncert i opłać go przy odbiorze.",
                "pl",
            ),
            ("จองโต๊ะในร้านอาหารที่กรุงเทพฯ และรับการยืนยันทันที", "th"),
            (
                "Rezerwacje at Łapka, a clinic for pets in the centre of the old town.",
                "en",
            ),
        ] {
            assert_eq!(of_text(text), code, "{text}");
        }
    }

    #[test]
    fn forms_of_a_word_share_a_stem_in_their_language() {
        let table: &[(&str, &[&str])] = &[
            ("de", &["Rechnung", "Rechnungen"]),
            ("de", &["Übersetzung", "Übersetzungen", "übersetzen"]),
            ("de", &["Haus", "Häuser"]),
            ("fr", &["réservation", "réservations", "réserver"]),
            ("fr", &["traduction", "traductions"]),
            ("es", &["reservación", "reservaciones", "reservar"]),
            ("es", &["traducción", "traducciones"]),
            ("pt", &["reserva", "reservas", "reservar"]),
            ("pt", &["documento", "documentos"]),
            ("it", &["prenotazione", "prenotazioni"]),
            ("it", &["traduzione", "traduzioni"]),
            ("ru", &["погода", "погоды", "погоду"]),
            ("ru", &["билет", "билеты", "билетов"]),
        ];
        for (code, forms) in table {
            let language = Language::of_tag(code).unwrap();
            let stems: Vec<_> = forms.iter().map(|form| language.stems(form)).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{stems:?}");
        }
    }

    proptest! {
        #[test]
        fn a_stem_is_found_by_its_first_character(text in "([a-zA-ZäöüßéçşİI' _-]|\\PC){0,80}") {
            let mut words = Vec::new();
            segment(&text, |piece| words.push(piece.text.to_owned()));
            for language in ALL {
                for word in &words {
                    let stem = language.stem(word);
                    let first = stem.and_then(|it| language.beginning(&it));
                    let beginnings: BTreeSet<char> = first.into_iter().collect();
                    prop_assert!(first.is_none() || language.may_begin(word, &beginnings), "{word}");
                }
            }
        }
    }

    #[test]
    fn a_stem_with_another_first_character_is_ruled_out() {
        let beginnings = BTreeSet::from(['r']);
        let may_begin = |code, word| {
            let language = Language::of_tag(code).unwrap();
            language.may_begin(word, &beginnings)
        };
        assert!(may_begin("de", "Rechnungen"));
        assert!(!may_begin("de", "und"));
        assert!(
            may_begin("de", "Übersetzungen"),
            "it may change when it is folded"
        );
        assert!(may_begin("nl", "gereden"), "its stemmer removes prefixes");
    }

    #[test]
    fn only_words_have_a_stem_of_the_language() {
        let stems = Language::of_tag("de").unwrap().stems("Rechnungen v2");
        assert_eq!(stems, [Some("de:rechnung".to_owned()), None]);
    }
}
