//! Tokenizer: word boundaries, identifiers and scripts without spaces.

/// Longest term in bytes; longer runs are no words.
const MAX_TERM: usize = 96;
/// An identifier of more parts than this is a path or a sentence without spaces: it has no whole.
const MAX_PARTS: usize = 6;

/// A word, a part of an identifier, or a pair of characters, as it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    /// The word.
    pub(crate) text: &'a str,
    /// Position among the words.
    pub(crate) position: usize,
    /// First byte in the text.
    pub(crate) from: usize,
    /// Byte after the last one.
    pub(crate) to: usize,
}

/// Role of a character in its word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Part of a word.
    Letter,
    /// A character of a script without spaces.
    Cjk,
    /// Holds the parts of an identifier together.
    Joint,
    /// Belongs to the word and is left out of it.
    Silent,
    /// Ends the word.
    Gap,
}

fn role(character: char) -> Role {
    match character {
        '\u{0E00}'..='\u{0EFF}'
        | '\u{1000}'..='\u{109F}'
        | '\u{1100}'..='\u{11FF}'
        | '\u{1780}'..='\u{17DD}'
        | '\u{3040}'..='\u{30FF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7AF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FF66}'..='\u{FF9F}'
        | '\u{20000}'..='\u{3FFFF}' => Role::Cjk,
        '\'' | '\u{2019}' | '\u{0300}'..='\u{036F}' | '\u{200C}' | '\u{200D}' | '\u{00AD}' => {
            Role::Silent
        }
        // The vowel signs and viramas of Indic scripts are not all alphabetic to `char`.
        '\u{0900}'..='\u{0DFF}' if !matches!(character, '\u{0964}' | '\u{0965}') => Role::Letter,
        '.' | '_' | '-' | '/' | '\u{2010}' | '\u{2011}' => Role::Joint,
        _ if character.is_alphanumeric() => Role::Letter,
        _ => Role::Gap,
    }
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '\u{2019}')
}

/// Bytes of what English ties to a word by an apostrophe, as in `hotel's` and `I'm`: the word is
/// the rest.
fn contraction(character: char, rest: &str) -> usize {
    if !is_apostrophe(character) {
        return 0;
    }
    let end = rest
        .find(|it: char| role(it) != Role::Letter)
        .unwrap_or(rest.len());
    let is_known = ["s", "m", "d", "ll", "ve", "re"]
        .iter()
        .any(|it| it.eq_ignore_ascii_case(&rest[..end]));
    if is_known { end } else { 0 }
}

/// A part of an identifier, under construction or finished.
struct Part {
    text: String,
    from: usize,
    to: usize,
}

/// Finds words, parts of identifiers and pairs of characters, in the order of their positions.
pub(crate) fn segment(text: &str, found: impl FnMut(Piece<'_>)) {
    let mut segmenter = Segmenter::new(found);
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        if segmenter.is_idle()
            && let Some(end) = plain_word(text.as_bytes(), at)
        {
            segmenter.push(&text[at..end], at, end);
            segmenter.position += 1;
            at = end;
            continue;
        }
        let from = at;
        at += character.len_utf8();
        let next = text[at..].chars().next();
        match role(character) {
            Role::Letter => segmenter.letter(character, next, from, at),
            Role::Cjk => segmenter.cjk(character, from, at),
            Role::Joint => segmenter.joint(next),
            Role::Silent => {
                let end = at + contraction(character, &text[at..]);
                segmenter.silent(character, end, end > at);
                at = end;
            }
            Role::Gap => segmenter.gap(),
        }
    }
    segmenter.gap();
}

/// Returns the end of the word that begins here if the fast path applies: ASCII letters and digits,
/// none but the first in upper case, and nothing behind them that could go on with it. Most words
/// are.
fn plain_word(bytes: &[u8], from: usize) -> Option<usize> {
    let first = bytes[from];
    if !first.is_ascii_alphanumeric() {
        return None;
    }
    let is_inside = |it: &u8| it.is_ascii_lowercase() || it.is_ascii_digit();
    let inside = bytes[from + 1..].iter().take_while(|it| is_inside(it));
    let end = from + 1 + inside.count();
    let ends = match bytes.get(end) {
        None => true,
        Some(b'.' | b'_' | b'-' | b'/') => bytes
            .get(end + 1)
            .is_none_or(|it| it.is_ascii() && !it.is_ascii_alphanumeric()),
        Some(byte) => byte.is_ascii() && !byte.is_ascii_alphanumeric() && *byte != b'\'',
    };
    ends.then_some(end)
}

struct Segmenter<F> {
    found: F,
    position: usize,
    parts: Vec<Part>,
    /// True if the next letter begins a new part.
    is_at_joint: bool,
    run: Vec<(char, usize, usize)>,
    previous: Option<char>,
}

impl<F: FnMut(Piece<'_>)> Segmenter<F> {
    fn new(found: F) -> Self {
        Self {
            found,
            position: 0,
            parts: Vec::new(),
            is_at_joint: false,
            run: Vec::new(),
            previous: None,
        }
    }

    /// Returns true between words.
    fn is_idle(&self) -> bool {
        self.parts.is_empty() && self.run.is_empty()
    }

    fn letter(&mut self, character: char, next: Option<char>, from: usize, to: usize) {
        self.end_run();
        let begins = self.parts.is_empty()
            || self.is_at_joint
            || self
                .previous
                .is_some_and(|previous| is_hump(previous, character, next));
        if begins {
            self.parts.push(Part {
                text: String::new(),
                from,
                to,
            });
        }
        if let Some(part) = self.parts.last_mut() {
            part.text.push(character);
            part.to = to;
        }
        self.previous = Some(character);
        self.is_at_joint = false;
    }

    fn cjk(&mut self, character: char, from: usize, to: usize) {
        self.end_parts();
        self.run.push((character, from, to));
    }

    fn joint(&mut self, next: Option<char>) {
        self.end_run();
        match next.map(role) {
            Some(Role::Letter) => {
                self.is_at_joint = !self.parts.is_empty();
                self.previous = None;
            }
            _ => self.gap(),
        }
    }

    /// Takes an apostrophe: `l'hôtel` has two parts, `don't` has one, and so has `hotel's`, which
    /// is `hotel`.
    fn silent(&mut self, character: char, end: usize, is_contraction: bool) {
        if let Some(part) = self.parts.last_mut() {
            let is_elision =
                is_apostrophe(character) && !is_contraction && part.text.chars().count() <= 2;
            part.to = end;
            self.is_at_joint |= is_elision && self.previous.is_some_and(char::is_alphabetic);
        }
    }

    fn gap(&mut self) {
        self.end_parts();
        self.end_run();
    }

    fn end_parts(&mut self) {
        self.is_at_joint = false;
        self.previous = None;
        if self.parts.is_empty() {
            return;
        }
        let parts = std::mem::take(&mut self.parts);
        if (2..=MAX_PARTS).contains(&parts.len()) {
            let whole: String = parts.iter().map(|part| part.text.as_str()).collect();
            self.push(&whole, parts[0].from, parts[parts.len() - 1].to);
        }
        for part in parts {
            self.push(&part.text, part.from, part.to);
            self.position += 1;
        }
    }

    fn end_run(&mut self) {
        if self.run.is_empty() {
            return;
        }
        let run = std::mem::take(&mut self.run);
        if let [(character, from, to)] = run[..] {
            self.push(character.encode_utf8(&mut [0; 4]), from, to);
            self.position += 1;
        }
        for pair in run.windows(2) {
            let text: String = pair.iter().map(|(character, ..)| character).collect();
            self.push(&text, pair[0].1, pair[1].2);
            self.position += 1;
        }
    }

    fn push(&mut self, text: &str, from: usize, to: usize) {
        if text.len() <= MAX_TERM {
            (self.found)(Piece {
                text,
                position: self.position,
                from,
                to,
            });
        }
    }
}

/// Returns true where camelCase begins a new part: `get|Weather`, `HTTP|Server`, `v2|Search`, but
/// not in
/// `A2A`.
fn is_hump(previous: char, character: char, next: Option<char>) -> bool {
    let begins = next.is_some_and(char::is_lowercase);
    character.is_uppercase()
        && (previous.is_lowercase()
            || ((previous.is_numeric() || previous.is_uppercase()) && begins))
}
