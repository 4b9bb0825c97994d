//! `/agent/{domain}/{slug}`: an agent's capabilities, access and sources.

pub(crate) mod diff;
pub(crate) mod history;
pub(crate) mod raw;

mod call;
mod evidence;
mod facts;
mod head;
mod similar;

use crate::cache::Policy;
use crate::error::{AppError, sentence};
use crate::html::{self, Layout};
use crate::pages::atom;
use crate::parameter::value;
use crate::record::agent::{CapabilityPage, Place, api_path, members, neighbours};
use crate::state::AppState;
use crate::structured;
use crate::twin::Form;
use crate::view::access::{InterfaceView, Key, limit_words};
use crate::view::capability::CapabilityView;
use crate::view::kept::Kept;
use crate::view::place::PlaceLink;
use crate::view::time::Moment;
use crate::view::{self, TranslationView, WebLink};
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use call::Sample;
use connect::connect;
use evidence::{ProvenanceView, SourceView, Sources};
use facts::{NodeView, Payments};
use head::{Head, View};
use manifest::caution::Caution;
use manifest::fact::part;
use manifest::{Agent, AgentId, Domain, Fact, Timestamp};
use similar::Similar;
use std::collections::BTreeMap;
use store::{AgentStatus, SiteDocument, StoredAgent};

#[derive(Debug, Template)]
#[template(path = "agent.html")]
struct AgentPage<'a> {
    layout: Layout,
    head: Head,
    agent: &'a Agent,
    id: String,
    is_failing: bool,
    first_seen: Moment,
    changed: Moment,
    provider: Option<WebLink>,
    links: Vec<(&'static str, WebLink)>,
    tags: Vec<(String, String)>,
    /// True if the description is cut until the rest is asked for.
    is_cut: bool,
    /// Tags that are shown on request.
    further_tags: Vec<(String, String)>,
    languages: Option<String>,
    modes: Vec<(&'static str, String)>,
    interfaces: Vec<InterfaceView>,
    keys: Vec<Key>,
    limits: Vec<String>,
    session: Option<String>,
    /// Notes on facts that are defaults of the format.
    session_note: Option<&'static str>,
    interfaces_note: Option<&'static str>,
    transport_note: Option<&'static str>,
    /// True if its documents state an interface, or the address of a capability.
    is_callable: bool,
    /// Facts with which its owner makes it callable, in words.
    lacks: Vec<&'static str>,
    /// Address to call; the home page of an agent that cannot be called is none.
    endpoint: Option<WebLink>,
    /// Owner of the endpoint, if it is neither the site nor the owner of an interface.
    stranger: Option<String>,
    example_of: Option<String>,
    /// The example in each language, and the configurations of clients.
    samples: Vec<Sample>,
    /// Values that callers fill in, each with its meaning.
    blanks: Vec<(String, Option<String>)>,
    /// Reason why there is no complete call, in a sentence.
    callable_because: String,
    /// Facts that a caller needs and no document states, in words.
    missing: Option<String>,
    /// Id of the messages in the snippets, which the copy button renews.
    message_id: String,
    capabilities: Vec<CapabilityView>,
    /// Capabilities that are shown on request.
    further: Vec<CapabilityView>,
    /// Their number, in words.
    further_words: String,
    /// Number of all capabilities.
    capability_count: String,
    /// Document and place that state the authentication.
    auth_source: Option<PlaceLink>,
    /// Document and place that state the first payment.
    payment_source: Option<PlaceLink>,
    /// Place of the page among several pages of capabilities, in words.
    capability_range: Option<String>,
    /// Address of the next page of capabilities.
    next: Option<String>,
    /// Address of the first page of capabilities, if this is another one.
    first_page: Option<String>,
    /// Signs that it may be taken for another agent, or sends its callers elsewhere, in words.
    cautions: Vec<String>,
    nodes: Vec<NodeView>,
    policies: Vec<String>,
    payments: Payments,
    signatures: Vec<String>,
    audit: Option<WebLink>,
    translations: Vec<TranslationView>,
    /// Members that the format defines and the page shows nowhere else.
    specified: Option<Kept>,
    /// Members that no rule interprets.
    extensions: Option<Kept>,
    /// Address of the documents as served.
    raw: String,
    /// Programs to run on one's own machine, in words, with the command of each.
    programs: Vec<(String, Option<String>)>,
    defaulted: Option<String>,
    documents: Vec<SourceView>,
    provenance: Vec<ProvenanceView>,
    similar: Similar,
    /// Structured data, as JSON.
    structured: String,
}

html::markdown_twin!(AgentPage<'a>, "agent.md");

/// Tags shown at once.
const TAGS: usize = 12;
/// Capabilities shown at once.
const AT_ONCE: usize = 8;

/// Answers `GET /agent/{domain}/{slug}`.
pub(crate) async fn show(
    State(state): State<AppState>,
    path: Result<Path<(String, String)>, PathRejection>,
    form: Form,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let path_of = |id: &AgentId| form.path(&view::agent_path(id));
    let place = Place::of(path, path_of)?;
    // Pages ignore what is no number.
    let after = value(query.as_deref(), "after").and_then(|it| it.parse().ok());
    let after: usize = after.unwrap_or(0);
    let parts = ["agent page", form.media_type(), &after.to_string()];
    let tag = place.page_tag(&state, &parts).await?;
    state
        .shared
        .answers
        .serve(&tag, Policy::Current, &headers, async {
            let agent = place.load(&state, path_of).await?;
            let (domain, now) = (&agent.domain, (state.now)());
            let shown = CapabilityPage::of(&agent.listing.agent, after);
            let documents = state.store.site_documents(domain).await?;
            let members = members(&state, &agent.listing.agent).await?;
            let cautions = state.cautions(&agent).await?;
            let neighbours = neighbours(&state, &agent.listing.id).await?;
            let page = AgentPage {
                similar: Similar::of(&neighbours, now),
                cautions: cautions.iter().map(Caution::text).collect(),
                ..AgentPage::of(&documents, &agent, &members, &shown, now)
            };
            Ok(html::rendered(form, &page)?)
        })
        .await
}

impl<'a> AgentPage<'a> {
    fn of(
        documents: &[SiteDocument],
        stored: &'a StoredAgent,
        members: &BTreeMap<String, AgentId>,
        page: &CapabilityPage,
        now: Timestamp,
    ) -> Self {
        let listing = &stored.listing;
        let agent = &listing.agent;
        let connect = connect(listing, None, now);
        let id = listing.id.to_string();
        let is_default = |field: &str| {
            let below = |it: &String| it.strip_prefix(field).is_some_and(|it| it.starts_with('.'));
            let mut defaulted = agent.defaulted.iter();
            defaulted.any(|it| it == field || (field == Fact::Sessions.name() && below(it)))
        };
        let mut tags = facts::tags(&agent.tags);
        let further_tags = tags.split_off(TAGS.min(tags.len()));
        let sources = Sources::of(listing);
        let interfaces = call::interfaces(agent, stored.domain.as_str(), sources.interfaces);
        let owner = connect.foreign.as_ref();
        let owner = owner.map(|it| shown(&it.0));
        let api = api_path(&listing.id);
        let capabilities = agent.capabilities.iter().enumerate();
        let capabilities = capabilities.take(page.range.end).skip(page.range.start);
        let view = |(index, capability)| {
            let text = evidence::of_capability(listing, index);
            CapabilityView::of(index, capability, &api, text)
        };
        let mut capabilities: Vec<_> = capabilities.map(view).collect();
        let further = capabilities.split_off(AT_ONCE.min(capabilities.len()));
        let endpoint = call::endpoint(agent, &connect).map(WebLink::of);
        let path = view::agent_path(&listing.id);
        let address = page.address(&path);
        let samples = call::samples(&connect);
        let note = |field| is_default(field).then_some("default of its format");
        Self {
            layout: Layout::new("")
                .at(&address)
                .followed_by(atom::of_agent(&listing.id, &view::title(&agent.name))),
            head: Head::of(stored, View::Overview, now),
            agent,
            is_failing: stored.status == AgentStatus::Failing,
            first_seen: Moment::of(stored.first_seen, now),
            changed: Moment::of(stored.changed, now),
            provider: WebLink::maybe(agent.provider.as_ref().and_then(|it| it.url.as_ref())),
            links: facts::links(agent),
            is_cut: agent.description.as_deref().is_some_and(facts::is_long),
            tags,
            further_tags,
            languages: joined(&agent.languages),
            modes: [
                ("Accepts", &agent.input_modes),
                ("Returns", &agent.output_modes),
            ]
            .into_iter()
            .filter_map(|(label, modes)| Some((label, joined(modes)?)))
            .collect(),
            stranger: owner.filter(|_| endpoint.is_some()).filter(|owner| {
                interfaces
                    .iter()
                    .all(|it| it.stranger.as_ref() != Some(owner))
            }),
            interfaces,
            keys: Key::all(&agent.auth),
            limits: agent.rate_limits.iter().map(limit_words).collect(),
            session: facts::session(agent),
            session_note: note(Fact::Sessions.name()),
            interfaces_note: note(Fact::Interfaces.name()),
            transport_note: note(part::TRANSPORT),
            lacks: call::lacks(agent),
            is_callable: call::is_callable(agent),
            endpoint,
            example_of: connect.capability.clone(),
            blanks: call::blanks(&connect, &samples),
            samples,
            callable_because: sentence(&connect.callable_because),
            message_id: connect.message_id.to_string(),
            missing: call::missing(&connect).filter(|_| call::is_callable(agent)),
            further_words: format!("{} more", view::grouped(further.len() as u64)),
            capabilities,
            further,
            capability_count: view::grouped(agent.capabilities.len() as u64),
            auth_source: sources.auth,
            payment_source: sources.payment,
            capability_range: page.words(),
            next: page.next().map(|after| format!("{path}?after={after}")),
            first_page: (address != path).then_some(path),
            cautions: Vec::new(),
            nodes: facts::nodes(agent, members),
            policies: facts::policies(agent),
            payments: facts::payments(agent),
            signatures: facts::signatures(agent),
            audit: agent.audit.as_ref().map(|it| WebLink::of(&it.endpoint)),
            translations: TranslationView::all(&agent.translations),
            specified: Kept::of(&agent.specified),
            extensions: Kept::of(&agent.extensions),
            raw: format!("{}/raw", api_path(&listing.id)),
            programs: facts::programs(agent),
            defaulted: joined(&agent.defaulted),
            documents: evidence::documents(documents, stored, now),
            provenance: evidence::provenance(listing),
            similar: Similar::default(),
            structured: structured::agent(stored),
            id,
        }
    }
}

impl AgentPage<'_> {
    /// Reports whether something stands before the call.
    fn has_introduction(&self) -> bool {
        let agent = self.agent;
        agent.description.is_some()
            || !agent.other_names.is_empty()
            || !self.cautions.is_empty()
            || self.is_failing
            || !self.tags.is_empty()
    }
}

/// Returns a domain in Unicode, or a host as it is.
fn shown(host: &str) -> String {
    Domain::parse(host).map_or_else(|_| host.to_owned(), |domain| domain.to_unicode())
}

fn joined(words: &[String]) -> Option<String> {
    (!words.is_empty()).then(|| words.join(", "))
}

#[cfg(test)]
mod tests;
