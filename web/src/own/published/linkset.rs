//! The catalogue of the registry's interfaces (RFC 9727), as a linkset (RFC 9264).

use crate::own::place;
use crate::own::registry::Registry;
use serde_json::{Value, json};

/// Returns the catalogue.
pub(super) fn manifest(registry: &Registry) -> Value {
    let to =
        |path: &str, media_type: &str| json!([{"href": registry.at(path), "type": media_type}]);
    let openapi = to(
        place::OPENAPI,
        "application/vnd.oai.openapi+json;version=3.1",
    );
    let status = to(&format!("{}/info", place::API), "application/json");
    let protocols = to(place::PROTOCOLS, "text/html");
    json!({"linkset": [
        {
            "anchor": registry.at(place::API),
            "service-desc": openapi,
            "service-doc": to(place::DOCS, "text/html"),
            "status": status,
        },
        {
            "anchor": registry.at(place::INTERACTION),
            "service-desc": to(place::AGENTS_JSON, "application/json"),
            "service-doc": protocols,
            "status": status,
        },
        {
            "anchor": registry.at(place::MCP),
            "service-desc": to(place::SERVER_CARD[0], "application/mcp-server-card+json"),
            "service-doc": protocols,
            "status": status,
        },
        {
            "anchor": registry.at(place::A2A),
            "service-desc": to(place::AGENT_CARD, "application/json"),
            "service-doc": protocols,
            "status": status,
        },
        {
            "anchor": registry.at(place::ARD),
            "service-desc": openapi,
            "service-meta": to(place::CATALOGS[0], "application/ai-catalog+json"),
            "service-doc": protocols,
            "status": status,
        },
        {
            "anchor": registry.at(place::SERVERS[0]),
            "service-desc": openapi,
            "service-doc": protocols,
            "status": status,
        },
    ]})
}
