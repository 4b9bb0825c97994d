//! `/owners`: one field for the domain of a site, where it stands, and what its owner can do about it.

use crate::action::address;
use crate::cache::Policy;
use crate::error::AppError;
use crate::html::{self, FeedLink, Layout};
use crate::pages::atom;
use crate::pages::badge::BadgeCode;
use crate::pages::submission;
use crate::parameter::{BadParameter, value};
use crate::posted::Refusal;
use crate::record::site::listing_state::ListingState;
use crate::record::site::{SiteRecord, find, reason, shown_documents, unlisted_title};
use crate::record::withdrawn;
use crate::state::AppState;
use crate::view::statement::Statement;
use crate::view::time::Moment;
use crate::view::{self, SiteName};
use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use manifest::{Domain, Timestamp};
use store::Submission;

/// Longest domain that the field shows again, in characters.
const MAX_FIELD: usize = 300;

#[derive(Debug, Template)]
#[template(path = "owners.html")]
struct OwnersPage {
    layout: Layout,
    /// Text of the field.
    domain: String,
    refusal: Refusal,
    place: Option<PlaceView>,
    offers: Vec<Offer>,
}

/// Place of a domain in the registry.
#[derive(Debug)]
struct PlaceView {
    site: SiteName,
    title: String,
    is_listed: bool,
    statement: Statement,
    /// Counts of findings, in words, if documents were read.
    findings: Option<String>,
    advice: Option<String>,
    /// Submission for whose visit it waits: state in words, and its page.
    submission: Option<(&'static str, String)>,
    /// Badge and feed of a site that is known.
    shown: Option<(BadgeCode, FeedLink)>,
    /// True if the public log has the reason.
    is_in_log: bool,
}

/// One thing that an owner can do.
#[derive(Debug)]
struct Offer {
    title: &'static str,
    text: &'static str,
    /// Address, and the words of its link or button.
    address: String,
    words: String,
    /// Domain that a button sends; `None` for a link.
    sent: Option<String>,
}

/// Answers `GET /owners`.
pub(crate) async fn show(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let given = value(query.as_deref(), "domain").unwrap_or_default();
    let page = OwnersPage {
        layout: Layout::new("").under("/owners").listed_as("/owners"),
        domain: manifest::text::clean(&given, MAX_FIELD),
        refusal: Refusal::default(),
        place: None,
        offers: offers(None),
    };
    if given.trim().is_empty() {
        return Ok(html::tagged_page(&page, Policy::Current, &headers)?);
    }
    let domain = match address::site(&given) {
        Ok(domain) => domain,
        Err(error) => {
            let fault = BadParameter::no_domain("domain", &given, error);
            let refusal = Refusal::of(AppError::BadParameters(vec![fault]))?;
            let page = OwnersPage { refusal, ..page };
            return Ok(page.refusal.answer(html::page(&page)?));
        }
    };
    let (place, offers) = PlaceView::load(&state, &domain).await?;
    let page = OwnersPage {
        domain: domain.to_unicode(),
        place: Some(place),
        offers,
        ..page
    };
    Ok(html::tagged_page(&page, Policy::Current, &headers)?)
}

impl PlaceView {
    /// Returns the place of a domain, and what its owner can do from there.
    async fn load(state: &AppState, domain: &Domain) -> Result<(Self, Vec<Offer>), AppError> {
        if let Some(record) = find(state, domain).await? {
            let place = Self::of_site(&record, state);
            let known = Known::Site {
                submission: record.submission.as_ref(),
                has_documents: shown_documents(&record.site).next().is_some(),
            };
            let offers = offers(Some((domain, known)));
            return Ok((place, offers));
        }
        if let Some(error) = withdrawn::site(state, domain).await? {
            let AppError::Withdrawn {
                title,
                way_back,
                message,
                ..
            } = error
            else {
                return Err(error);
            };
            let known = match way_back {
                Some(_) => Known::Departed,
                None => Known::Excluded,
            };
            let place = Self {
                statement: message.finished(crate::error::sentence),
                is_in_log: true,
                ..Self::untouched(domain, title)
            };
            return Ok((place, offers(Some((domain, known)))));
        }
        let fault = address::parse(domain.as_str()).err();
        let title = unlisted_title(domain, fault.as_ref());
        let place = Self {
            statement: "The registry has no record of it.".to_owned().into(),
            advice: fault.as_ref().map(|it| crate::error::sentence(&it.message)),
            ..Self::untouched(domain, title)
        };
        let known = match fault {
            None => Known::Not,
            Some(_) => Known::Excluded,
        };
        Ok((place, offers(Some((domain, known)))))
    }

    /// Returns the place of a domain of which nothing is stored.
    fn untouched(domain: &Domain, title: String) -> Self {
        Self {
            site: SiteName::of(domain),
            title,
            is_listed: false,
            statement: Statement::default(),
            findings: None,
            advice: None,
            submission: None,
            shown: None,
            is_in_log: false,
        }
    }

    fn of_site(record: &SiteRecord, state: &AppState) -> Self {
        let SiteRecord { site, submission } = record;
        let domain = &site.domain;
        let now = (state.now)();
        let listing_state = ListingState::of_site(site, now);
        let shown = domain.to_unicode();
        let title = match listing_state {
            ListingState::Listed { .. } => format!("{shown} is listed"),
            ListingState::Unconfirmed { .. } => format!("{shown} is listed, but not confirmed"),
            ListingState::Waiting => format!("{shown} waits for its first visit"),
            ListingState::Hidden => format!("{shown} is hidden"),
            ListingState::OptedOut => format!("{shown} asks not to be listed"),
            _ => format!("{shown} isn’t listed"),
        };
        let reason = || reason::reason(site, now).unwrap_or_default();
        let has_documents = shown_documents(site).next().is_some();
        Self {
            is_listed: matches!(listing_state, ListingState::Listed { .. }),
            statement: listed(listing_state, now).unwrap_or_else(reason),
            findings: has_documents.then(|| reason::verdict(site)),
            advice: reason::advice(site),
            submission: submission.as_ref().map(|it| {
                let path = submission::path(&it.id);
                (submission::words(it), path)
            }),
            shown: Some((
                BadgeCode::of(domain, &state.public_url),
                atom::of_site(domain),
            )),
            is_in_log: listing_state == ListingState::Hidden,
            ..Self::untouched(domain, title)
        }
    }
}

/// States level and time of what is listed.
fn listed(listing_state: ListingState, now: Timestamp) -> Option<Statement> {
    let (levels, before, at) = match listing_state {
        ListingState::Listed { levels, checked } => (levels, "checked", checked),
        ListingState::Unconfirmed { levels, since } => (levels, "last confirmed", since),
        _ => return None,
    };
    let before = crate::error::sentence(&format!("{}, {before}", levels.words()));
    let before = before.trim_end_matches('.').to_owned();
    Some(Statement::at(before, Moment::of(at, now), ".".to_owned()))
}

/// Knowledge of a domain, on which it depends what its owner can do.
#[derive(Clone, Copy, Debug)]
enum Known<'a> {
    /// It is known, and may wait for a visit.
    Site {
        submission: Option<&'a Submission>,
        has_documents: bool,
    },
    /// Nothing is known, and it can be submitted.
    Not,
    /// Its owner took it out.
    Departed,
    /// It is excluded, or cannot be submitted.
    Excluded,
}

/// Returns what an owner can do: with a domain what makes sense for that, and nothing that is done.
fn offers(place: Option<(&Domain, Known<'_>)>) -> Vec<Offer> {
    let Some((domain, known)) = place else {
        return general();
    };
    let (name, shown) = (domain.as_str(), domain.to_unicode());
    let with_domain = |path: &str| format!("{path}?domain={name}");
    let sent = Some(name.to_owned());
    let mut offers = Vec::new();
    match known {
        Known::Site { submission, .. } => {
            let page = view::site_path(name);
            offers.push(Offer::new(CHECK, page, format!("The page of {shown}")));
            offers.push(match submission {
                Some(submission) => {
                    let state = submission::path(&submission.id);
                    Offer::new(FOLLOW, state, "Follow the visit".to_owned())
                }
                None => Offer {
                    sent,
                    ..Offer::new(RECHECK, "/recheck".to_owned(), "Recheck now".to_owned())
                },
            });
            let form = with_domain("/own");
            offers.push(Offer::new(PROVE, form, "Prove that it is yours".to_owned()));
        }
        Known::Not => offers.push(Offer {
            sent,
            ..Offer::new(SUBMIT, "/submit".to_owned(), format!("Submit {shown}"))
        }),
        Known::Departed => {
            let form = with_domain("/return");
            offers.push(Offer::new(
                RETURN,
                form,
                "Return to the registry".to_owned(),
            ));
        }
        Known::Excluded => {}
    }
    offers.push(match known {
        Known::Site {
            has_documents: true,
            ..
        } => Offer::new(
            VALIDATE,
            format!("/validate?site={name}"),
            "Validate what we read".to_owned(),
        ),
        _ => validate(),
    });
    if matches!(known, Known::Site { .. } | Known::Not) {
        let form = with_domain("/leave");
        offers.push(Offer::new(LEAVE, form, "Leave the registry".to_owned()));
    }
    offers
}

const CHECK: (&str, &str) = (
    "Check",
    "What we requested, what we read, each finding with its line, and the next visit.",
);
const SUBMIT: (&str, &str) = (
    "Submit",
    "Our crawler visits the site and lists the agents that its manifests describe.",
);
const RECHECK: (&str, &str) = (
    "Recheck",
    "You changed something: have it visited again, and see what differs.",
);
const FOLLOW: (&str, &str) = (
    "Recheck",
    "A visit is asked for already. Its page shows the result.",
);
const PROVE: (&str, &str) = (
    "Recheck sooner",
    "With a proof that the site is yours, you wait minutes between visits instead of hours.",
);
const VALIDATE: (&str, &str) = (
    "Validate",
    "See the findings on a manifest before you publish it.",
);
const LEAVE: (&str, &str) = (
    "Leave",
    "Neither visited nor listed any more, proved by a token.",
);
const RETURN: (&str, &str) = (
    "Return",
    "Visited and listed again as if it were new, proved by a token.",
);

/// Returns what any owner can do.
fn general() -> Vec<Offer> {
    let offer = |words, path: &str, link: &str| Offer::new(words, path.to_owned(), link.to_owned());
    vec![
        offer(SUBMIT, "/submit", "Submit a site"),
        validate(),
        offer(RECHECK, "/recheck", "Recheck now"),
        offer(PROVE, "/own", "Prove that a site is yours"),
        offer(LEAVE, "/leave", "Leave the registry"),
        offer(RETURN, "/return", "Return to the registry"),
    ]
}

fn validate() -> Offer {
    Offer::new(
        VALIDATE,
        "/validate".to_owned(),
        "Validate a manifest".to_owned(),
    )
}

impl Offer {
    fn new((title, text): (&'static str, &'static str), address: String, words: String) -> Self {
        Self {
            title,
            text,
            address,
            words,
            sent: None,
        }
    }
}
