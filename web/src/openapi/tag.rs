//! Tags of operations, by which readers and generated clients group them.

use aide::openapi::{OpenApi, ReferenceOr, Tag};

/// Group of operations.
struct Group {
    name: &'static str,
    description: &'static str,
    /// Beginnings of the paths of its operations.
    paths: &'static [&'static str],
}

/// All groups; an operation belongs to the first whose path it has.
const GROUPS: [Group; 8] = [
    Group {
        name: "search",
        description: "Agents that meet a need, and the words to search by.",
        paths: &[
            "/api/v1/search",
            "/api/v1/suggest",
            "/api/v1/facets",
            "/api/v1/capabilities",
        ],
    },
    Group {
        name: "agents",
        description: "Agents with their evidence, history and documents.",
        paths: &["/api/v1/agents"],
    },
    Group {
        name: "sites",
        description: "Sites, our visits to them, and requests for visits.",
        paths: &[
            "/api/v1/sites",
            "/api/v1/submit",
            "/api/v1/submissions",
            "/api/v1/own",
        ],
    },
    Group {
        name: "manifests",
        description: "Checks and conversions of manifests, and the rules behind them.",
        paths: &["/api/v1/validate", "/api/v1/convert", "/api/v1/rules"],
    },
    Group {
        name: "moderation",
        description: "The public log, reports, and the ways to leave and to return.",
        paths: &[
            "/api/v1/moderation",
            "/api/v1/reports",
            "/api/v1/leave",
            "/api/v1/return",
        ],
    },
    Group {
        name: "interaction",
        description: "The Interaction API: the same calls, with sessions.",
        paths: &["/.well-known/agents/api"],
    },
    Group {
        name: "discovery",
        description: "Registry protocols of others: Agentic Resource Discovery, and the MCP Registry API.",
        paths: &["/ard", "/v0.1"],
    },
    Group {
        name: "registry",
        description: "The registry itself: its changes, exports and figures.",
        paths: &["/"],
    },
];

/// Adds the tags to a document, and to each of its operations.
pub(super) fn add(document: &mut OpenApi) {
    document.tags = GROUPS.iter().map(tag).collect();
    let paths = document.paths.iter_mut().flat_map(|it| &mut it.paths);
    for (path, item) in paths {
        let is_of = |group: &&Group| group.paths.iter().any(|it| path.starts_with(it));
        let group = GROUPS.iter().find(is_of);
        let (ReferenceOr::Item(item), Some(group)) = (item, group) else {
            continue;
        };
        let operations = [&mut item.get, &mut item.post, &mut item.delete];
        for operation in operations.into_iter().flatten() {
            operation.tags = vec![group.name.to_owned()];
        }
    }
}

fn tag(group: &Group) -> Tag {
    Tag {
        name: group.name.to_owned(),
        description: Some(group.description.to_owned()),
        ..Tag::default()
    }
}
