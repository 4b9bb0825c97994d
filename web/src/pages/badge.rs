//! `/site/{domain}/badge.svg` and `.json`: the standing of a site, as a picture for its README, and as
//! the JSON that shields.io makes such pictures from.
//!
//! Both say the day of the last visit instead of the time since then, so that a copy in a cache is
//! right too. A domain that is not listed has a badge as well, which says so.

use crate::cache::{Policy, Tag};
use crate::error::AppError;
use crate::record::mark::Mark;
use crate::record::named;
use crate::record::site::listing_state::ListingState;
use crate::state::AppState;
use crate::view;
use crate::view::tile::Tile;
use askama::Template;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use manifest::{Domain, Level, Timestamp};
use serde::Serialize;

/// Name of the picture below the page of a site.
const PICTURE: &str = "badge.svg";
/// Name on the left of the badge.
const LABEL: &str = "agentdex";
/// Colours of the palette on which white text is legible.
const GOOD: &str = "#17613d";
const AMBER: &str = "#8a4b00";
const GREY: &str = "#4d5956";
const BAND: &str = "#0a3f44";
/// Widths in pixels: of the mark, of the tile of the site, and of the space beside texts.
const MARK: u32 = 22;
const TILE: u32 = 18;
const SPACE: u32 = 6;

/// Statement of a badge.
#[derive(Debug)]
struct Badge {
    message: String,
    colour: &'static str,
    /// True if the site is listed.
    is_listed: bool,
}

/// Badge of a site, and the text that shows it in a README.
#[derive(Debug)]
pub(crate) struct BadgeCode {
    /// Address of the picture, relative to the registry.
    pub(crate) path: String,
    pub(crate) markdown: String,
}

impl BadgeCode {
    /// Returns the code for a site of the registry at `public_url`.
    pub(crate) fn of(domain: &Domain, public_url: &str) -> Self {
        let path = view::path(&["site", domain.as_str(), PICTURE]);
        let page = view::site_path(domain.as_str());
        let markdown = format!("[![{LABEL}]({public_url}{path})]({public_url}{page})");
        Self { path, markdown }
    }
}

/// Badge as a picture.
#[derive(Debug, Template)]
#[template(path = "badge.svg")]
struct Picture {
    label: &'static str,
    message: String,
    /// Colours of both halves.
    colours: (&'static str, &'static str),
    label_x: u32,
    label_width: u32,
    /// Width of the left half.
    label_end: u32,
    message_x: u32,
    message_width: u32,
    width: u32,
    tile: Tile,
}

/// Badge for shields.io (<https://shields.io/badges/endpoint-badge>).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Endpoint {
    schema_version: u8,
    label: &'static str,
    message: String,
    color: &'static str,
    label_color: &'static str,
    /// True keeps a caller from choosing another colour.
    is_error: bool,
}

/// Answers `GET /site/{domain}/badge.svg`.
pub(crate) async fn picture(
    State(state): State<AppState>,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    answer(&state, path, PICTURE, &headers, |badge, domain| {
        let media_type = HeaderValue::from_static("image/svg+xml");
        let text = Picture::of(badge, Tile::of(domain)).render()?;
        Ok(([(CONTENT_TYPE, media_type)], text).into_response())
    })
    .await
}

/// Answers `GET /site/{domain}/badge.json`.
pub(crate) async fn endpoint(
    State(state): State<AppState>,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let make = |badge, _: &Domain| Ok(Json(Endpoint::of(badge)).into_response());
    answer(&state, path, "badge.json", &headers, make).await
}

async fn answer(
    state: &AppState,
    path: Result<Path<String>, PathRejection>,
    file: &str,
    headers: &HeaderMap,
    make: impl FnOnce(Badge, &Domain) -> askama::Result<Response>,
) -> Result<Response, AppError> {
    let Path(domain) = path?;
    let domain = named(&domain, |it| view::path(&["site", it.as_str(), file]))?;
    let mark = Mark::of(state, &domain).await?;
    let now = (state.now)();
    // A visit that is due becomes one that is missing.
    let day = now.format("%F");
    if mark.is_whole() {
        let answer = async {
            let listing_state = ListingState::of(state, &domain).await?;
            Ok::<_, AppError>(make(Badge::of(listing_state), &domain)?)
        };
        let tag = mark.tag(&["badge", file, &day]);
        return tag.serve(Policy::Current, headers, answer).await;
    }
    let badge = Badge::of(ListingState::of(state, &domain).await?);
    let tag = Tag::of(&["badge", file, &badge.message]);
    Ok(tag.answer(Policy::Current, headers, make(badge, &domain)?))
}

impl Badge {
    fn of(listing_state: ListingState) -> Self {
        let day = |at: Timestamp| at.format("%-d %b %Y");
        let (message, colour) = match listing_state {
            ListingState::Listed { levels, checked } => {
                let colour = match levels.worst {
                    Level::A | Level::B => GOOD,
                    Level::C | Level::D => AMBER,
                };
                let message = format!("listed · {} · checked {}", levels.words(), day(checked));
                (message, colour)
            }
            ListingState::Unconfirmed { levels, since } => {
                let levels = levels.words();
                let message = format!("listed · {levels} · not confirmed since {}", day(since));
                (message, AMBER)
            }
            ListingState::NotListed { checked } => {
                (format!("not listed · checked {}", day(checked)), GREY)
            }
            ListingState::Hidden => ("hidden by the operator".to_owned(), GREY),
            ListingState::OptedOut => ("asked not to be listed".to_owned(), GREY),
            ListingState::Waiting => ("waiting for its first visit".to_owned(), GREY),
            ListingState::Unknown => ("not listed yet".to_owned(), GREY),
            ListingState::Departed => ("left the registry".to_owned(), GREY),
            ListingState::Excluded => ("excluded by the operator".to_owned(), GREY),
        };
        let is_listed = matches!(
            listing_state,
            ListingState::Listed { .. } | ListingState::Unconfirmed { .. }
        );
        Self {
            message,
            colour,
            is_listed,
        }
    }
}

impl Picture {
    fn of(badge: Badge, tile: Tile) -> Self {
        let (label_width, message_width) = (width(LABEL), width(&badge.message));
        let label_end = MARK + label_width + SPACE;
        Self {
            label: LABEL,
            colours: (BAND, badge.colour),
            label_x: MARK,
            label_width,
            label_end,
            message_x: label_end + SPACE + TILE,
            message_width,
            width: label_end + TILE + message_width + 2 * SPACE,
            message: badge.message,
            tile,
        }
    }
}

impl Endpoint {
    fn of(badge: Badge) -> Self {
        Self {
            schema_version: 1,
            label: LABEL,
            message: badge.message,
            color: badge.colour,
            label_color: BAND,
            is_error: !badge.is_listed,
        }
    }
}

/// Returns the width of a text in pixels, at 11 px in Verdana; the picture fits other fonts into it.
fn width(text: &str) -> u32 {
    let tenths = text.chars().map(|it| match it {
        'i' | 'j' | 'l' | ' ' | '·' | '.' | ',' => 34,
        'f' | 'r' | 't' => 45,
        'm' | 'w' | 'M' | 'W' => 98,
        'A'..='Z' => 76,
        _ => 67,
    });
    tenths.sum::<u32>().div_ceil(10)
}
