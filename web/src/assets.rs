//! The style sheet, the script and the icon, compiled into the program and named by their hash.
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

/// Returns the content of a file and its media type; `None` unless `hash` is that of the file.
pub(crate) fn content(hash: &str, file: &str) -> Option<(Cow<'static, [u8]>, &'static str)> {
    let asset = Assets::get(file).filter(|asset| hash_of(asset) == hash)?;
    let media_type = match file.rsplit('.').next() {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
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
