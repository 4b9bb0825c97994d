//! A tile per site: its initial on a card with a cut corner, in two colours of its own.
//!
//! It is drawn from the domain alone, so nothing is requested from the site, and a site has the same
//! tile on every page, in its badge and in every registry.

use manifest::Domain;
use sha2::{Digest as _, Sha256};

/// Saturation and lightness of the card and of its letter, in percent. Of any two hues, these have a
/// contrast of 4.5 at least (WCAG 2.2, 1.4.3).
const CARD: (i32, i32) = (50, 22);
const LETTER: (i32, i32) = (75, 87);
/// Degrees by which the hues of both are apart, at least.
const APART: i32 = 60;

/// Tile of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tile {
    /// First letter or digit of the registrable domain, in upper case.
    pub(crate) initial: String,
    /// Colour of the card: `#rrggbb`.
    pub(crate) card: String,
    /// Colour of the letter and of the folded corner: `#rrggbb`.
    pub(crate) letter: String,
}

impl Tile {
    /// Draws the tile of a domain. The hosts of one registrable domain have the same.
    pub(crate) fn of(domain: &Domain) -> Self {
        let registrable = domain.registrable();
        let hash = Sha256::digest(registrable);
        let hue = i32::from(u16::from_be_bytes([hash[0], hash[1]])) % 360;
        let apart = APART + i32::from(hash[2]) % (360 - 2 * APART);
        Self {
            initial: initial(registrable),
            card: colour(hue, CARD),
            letter: colour(hue + apart, LETTER),
        }
    }
}

/// Returns the first letter or digit of a registrable domain as people read it.
fn initial(registrable: &str) -> String {
    let shown = Domain::parse(registrable).map(|it| it.to_unicode());
    let shown = shown.unwrap_or_default();
    let label = shown.split('.').next().unwrap_or_default();
    let first = label.chars().find(|it| it.is_alphanumeric());
    let first = first.unwrap_or('·');
    let mut upper = first.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(letter), None) => letter.to_string(),
        // A letter without an upper case of its own, such as `ß`.
        _ => first.to_string(),
    }
}

/// Returns a colour of HSL as `#rrggbb` (CSS Color 4, section 7.1).
fn colour(hue: i32, shade: (i32, i32)) -> String {
    let [red, green, blue] = rgb(hue, shade);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn rgb(hue: i32, (saturation, lightness): (i32, i32)) -> [u8; 3] {
    let range = saturation * lightness.min(100 - lightness);
    [0, 240, 120].map(|begin| {
        let turn = (begin + hue) % 360;
        let share = (turn - 90).min(270 - turn).clamp(-30, 30);
        let value = (lightness * 100 - range * share / 30) * 255 / 10_000;
        u8::try_from(value).unwrap_or(u8::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the relative luminance of a colour (WCAG 2.2).
    fn luminance(colour: [u8; 3]) -> f64 {
        let linear = colour.map(|it| {
            let part = f64::from(it) / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    #[test]
    fn any_two_hues_of_a_tile_have_enough_contrast() {
        let all = |shade| (0..360).map(move |hue| luminance(rgb(hue, shade)));
        let brightest_card = all(CARD).fold(0.0, f64::max);
        let darkest_letter = all(LETTER).fold(1.0, f64::min);
        let contrast = (darkest_letter + 0.05) / (brightest_card + 0.05);
        assert!(contrast >= 4.5, "{contrast}");
    }

    #[test]
    fn colours_are_those_of_css() {
        assert_eq!(colour(0, (100, 50)), "#ff0000");
        assert_eq!(colour(120, (100, 25)), "#007f00");
        assert_eq!(colour(240, (100, 50)), "#0000ff");
        assert_eq!(colour(600, (100, 50)), "#0000ff");
        assert_eq!(colour(77, (0, 100)), "#ffffff");
    }

    #[test]
    fn a_tile_is_that_of_the_registrable_domain() {
        let tile = |domain: &str| Tile::of(&Domain::parse(domain).unwrap());
        assert_eq!(tile("mesa.example").initial, "M");
        assert_eq!(tile("www.mesa.example"), tile("mesa.example"));
        assert_ne!(tile("mesa.example").card, tile("mesb.example").card);
        assert_eq!(tile("xn--n3h.example").initial, "·");
        assert_eq!(tile("9gag.example").initial, "9");
        assert_eq!(tile("xn--bckerei-5wa.example").initial, "B");
        assert_eq!(tile("xn--wgv71a.example").initial, "日");
        assert_eq!(tile("xn--zca.example").initial, "ß");
    }
}
