//! The style sheet, the script and the pictures, compiled into the program and named by their hash.
//!
//! `share.png` is `share.svg` as a browser draws it at 1200 × 630 pixels, and `icon-180.png` the icon in white on
//! the colour of the header at 180 × 180, each with a palette of at most 48 colours.
//!
//! `/assets/<hash>/<file>` never changes, so browsers may cache it forever.

use data_encoding::HEXLOWER;
use rust_embed::{EmbeddedFile, RustEmbed};
use std::borrow::Cow;
use std::sync::LazyLock;

#[derive(RustEmbed)]
#[folder = "assets/"]
struct Assets;

/// Path of the style sheet.
pub(crate) static STYLESHEET: LazyLock<String> = LazyLock::new(|| location("site.css"));

/// Path of the script.
pub(crate) static SCRIPT: LazyLock<String> = LazyLock::new(|| location("site.js"));

/// Path of the icon.
pub(crate) static ICON: LazyLock<String> = LazyLock::new(|| location("icon.svg"));

/// Path of the icon for home screens.
pub(crate) static TOUCH_ICON: LazyLock<String> = LazyLock::new(|| location("icon-180.png"));

/// Path of the picture that other sites show beside a link.
pub(crate) static PICTURE: LazyLock<String> = LazyLock::new(|| location("share.png"));

/// Returns the content of a file and its media type; `None` unless `hash` is that of the file.
pub(crate) fn content(hash: &str, file: &str) -> Option<(Cow<'static, [u8]>, &'static str)> {
    let asset = Assets::get(file).filter(|asset| hash_of(asset) == hash)?;
    let media_type = match file.rsplit('.').next() {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("png") => "image/png",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    };
    Some((asset.data, media_type))
}

fn location(file: &str) -> String {
    let asset = Assets::get(file).expect("the file is compiled into the program");
    format!("/assets/{}/{file}", hash_of(&asset))
}

fn hash_of(asset: &EmbeddedFile) -> String {
    HEXLOWER.encode(&asset.metadata.sha256_hash()[..6])
}
