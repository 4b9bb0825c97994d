//! Corrections of texts that change nothing that is read.

/// Declares the corrections, a row each: the word for programs, and what is corrected, in words for
/// people.
macro_rules! corrections {
    ($($correction:ident: $word:literal, $title:literal;)+) => {
        /// Correction that changes nothing that is read.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Correction {
            $(#[doc = concat!("Correction of ", $title, ".")] $correction,)+
        }

        crate::words!(Correction { $($correction = $word,)+ });

        impl Correction {
            /// Returns what is corrected, in words for people.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$correction => $title,)+ }
            }
        }
    };
}

corrections! {
    Bom: "bom", "a byte order mark";
    Utf16: "utf-16", "text in UTF-16, not UTF-8";
    Windows1252: "windows-1252", "text that is not UTF-8 and was read as windows-1252";
    LineEnds: "line-ends", "lines that end in CR alone";
    Fence: "fence", "a code block of Markdown around the JSON";
    Comment: "comment", "a comment";
    TrailingComma: "trailing-comma", "a comma before a closing bracket";
    MissingComma: "missing-comma", "a missing comma";
    Quotes: "quotes", "other quotes than plain double ones";
    Name: "name", "a name without quotes";
    Escape: "escape", "a character that must be escaped";
    Number: "number", "a number in another notation than that of JSON";
    Space: "space", "a space that JSON does not have";
    Nul: "nul", "a NUL byte";
}
