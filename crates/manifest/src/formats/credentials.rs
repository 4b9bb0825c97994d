//! Statements about credentials that stand in sentences: of the instructions of a way to authenticate, and of a
//! description.

use super::auth_md;
use crate::agent::Auth;
use crate::{Agent, Fact, text};
use url::Url;

/// Adds to the ways of an agent the places that their instructions name: that of a program, which is called by
/// POST or is part of an API, or that of a person.
pub(super) fn add_places(agent: &mut Agent, base: &Url) {
    const PLACES: [&str; 4] = ["register", "signup", "sign-up", "claim"];
    for way in &mut agent.auth {
        let has_place =
            way.registration_url.is_some() || way.token_url.is_some() || way.docs.is_some();
        let Some(text) = way.description.clone().filter(|_| !has_place) else {
            continue;
        };
        let is_place = |url: &String| {
            let path = url.split(['?', '#']).next().unwrap_or_default();
            let last = path.trim_end_matches('/').rsplit('/').next();
            PLACES
                .iter()
                .any(|it| last.is_some_and(|last| last.to_ascii_lowercase().starts_with(it)))
        };
        let Some(url) = auth_md::addresses(&text, base).find(is_place) else {
            continue;
        };
        let is_of_api = url.contains("/api/") || text.contains("POST ");
        if is_of_api {
            way.registration_url = Some(url);
        } else {
            way.docs = Some(url);
        }
    }
}

/// Adds that an agent needs no authentication, if a clause of its description says so and nothing else is
/// stated; or before a way whose instructions say so of a part of the calls.
pub(super) fn add_unneeded(agent: &mut Agent) {
    let mut texts = agent.auth.iter().map(|it| &it.description);
    let (clause, place) = if agent.auth.is_empty() {
        let place = agent.place(Fact::Description).to_owned();
        (unneeded(agent.description.as_deref()), Some(place))
    } else if agent.auth.iter().any(|it| it.scheme == "none") {
        return;
    } else {
        (texts.find_map(|it| unneeded(it.as_deref())), None)
    };
    let Some(clause) = clause else {
        return;
    };
    let way = Auth {
        description: Some(clause),
        ..Auth::of("none")
    };
    agent.auth.insert(0, way);
    if let Some(place) = place {
        agent.pointers.insert(Fact::Auth.into(), place);
    }
}

/// Returns the clause of a text that says that no authentication is needed, for all calls or for the public
/// ones.
fn unneeded(text: Option<&str>) -> Option<String> {
    const CLAUSES: [&str; 8] = [
        "no auth",
        "no authentication",
        "no auth required",
        "no auth needed",
        "no authentication required",
        "no authentication needed",
        "no api key",
        "no api key required",
    ];
    const PUBLIC: [&str; 3] = ["public endpoints ", "public routes ", "public calls "];
    const VERBS: [&str; 2] = ["need ", "require "];
    let lower = text?.to_lowercase();
    let mut clauses = lower.split(['.', ',', ';', '(', ')', '–', '—', ':']);
    let clause = clauses.find(|it| {
        let clause = it.trim();
        let of_public = PUBLIC.iter().find_map(|it| clause.strip_prefix(it));
        let of_public =
            of_public.and_then(|it| VERBS.iter().find_map(|verb| it.strip_prefix(verb)));
        CLAUSES.contains(&of_public.unwrap_or(clause))
    })?;
    text::some(clause.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_name_the_place_of_a_credential() {
        let base = Url::parse("https://mugs.example/agents.json").unwrap();
        for (text, program, person) in [
            (
                "Bearer token via POST /auth/claim",
                Some("/auth/claim"),
                None,
            ),
            (
                "Keys begin with mk_. Register at /api/keys/register-consumer.",
                Some("/api/keys/register-consumer"),
                None,
            ),
            (
                "Sign up at https://mugs.example/signup",
                None,
                Some("/signup"),
            ),
            ("Send your key in X-Key to /v1/mugs", None, None),
        ] {
            let way = Auth {
                description: text::some(text),
                ..Auth::of("bearer")
            };
            let mut agent = Agent {
                auth: vec![way],
                ..Agent::default()
            };
            add_places(&mut agent, &base);
            let at = |path: &str| format!("https://mugs.example{path}");
            assert_eq!(agent.auth[0].registration_url, program.map(at), "{text}");
            assert_eq!(agent.auth[0].docs, person.map(at), "{text}");
        }
    }

    #[test]
    fn a_clause_of_a_description_says_that_no_authentication_is_needed() {
        let ways = |text: &str| {
            let mut agent = Agent {
                description: text::some(text),
                ..Agent::default()
            };
            add_unneeded(&mut agent);
            agent.auth.first().map(|it| it.scheme.clone())
        };
        let none = Some("none".to_owned());
        assert_eq!(
            ways("Checks mugs. Free to check, no auth, never errors."),
            none
        );
        assert_eq!(ways("Checks mugs (no API key required)."), none);
        assert_eq!(
            ways("Checks mugs; no auth token leaves your machine."),
            None
        );
        assert_eq!(ways("Checks mugs without a key."), None);
        assert_eq!(ways("Checks mugs. Public endpoints need no auth."), none);
        let mut agent = Agent {
            auth: vec![Auth {
                description: text::some("Public endpoints need no auth. Others take a key."),
                ..Auth::of("bearer")
            }],
            ..Agent::default()
        };
        add_unneeded(&mut agent);
        let schemes: Vec<_> = agent.auth.iter().map(|it| it.scheme.as_str()).collect();
        assert_eq!(schemes, ["none", "bearer"]);
    }
}
