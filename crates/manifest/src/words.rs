//! Words of enums.

/// Gives an enum the words by which rows, answers and command lines name its values.
#[macro_export]
macro_rules! words {
    ($type:ident { $($value:ident = $word:literal,)+ }) => {
        impl $type {
            /// All values.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$value),+];

            /// Returns the word used in rows, reports and answers.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)+
                }
            }

            /// Returns the value with this word.
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.as_str() == word)
            }
        }
    };
}
