//! Names that sites use for the member of each field, the best first.

pub(super) const NAMES: &[&str] = &[
    "name",
    "displayName",
    "display_name",
    "title",
    "site.name",
    "agent.name",
    "agent_name",
    "agentName",
    "app.name",
    "identity.name",
    "project.name",
    "merchant.name",
    "business.name",
    "store.name",
    "service.name",
    "organization.name",
    "publisher.name",
    "name_for_human",
    "brand_name",
    "entity.name",
    "provider.name",
    "service",
    "provider",
    "platform",
    "project",
];
pub(super) const DESCRIPTIONS: &[&str] = &[
    "description",
    "summary",
    "tagline",
    "about",
    "purpose",
    "site.description",
    "agent.description",
    "app.description",
    "identity.description",
    "project.description",
    "merchant.description",
    "business.description",
    "store.description",
    "service.description",
    "description_for_model",
    "description_for_human",
    "positioning",
];
pub(super) const URLS: &[&str] = &[
    "url",
    "homepage",
    "website",
    "site",
    "site.url",
    "app.url",
    "app.hosted_url",
    "identity.url",
    "project.url",
    "merchant.url",
    "canonical",
    "canonical_url",
    "base_url",
    "baseUrl",
    "api_base",
    "api.base_url",
    "origin",
    "urls.homepage",
    "links.website",
    "links.homepage",
    "entity.url",
    "endpoints.homepage",
    "endpoints.home",
    "endpoints.website",
];
/// Pages for people.
pub(super) const HOMEPAGES: &[&str] = &[
    "homepage",
    "website",
    "site",
    "site.url",
    "human_url",
    "urls.homepage",
    "links.homepage",
    "links.website",
    "entity.url",
    "canonical_url",
    "canonical",
];
/// Base URLs that relative endpoints are below.
pub(super) const BASES: &[&str] = &[
    "base_url",
    "baseUrl",
    "api_base",
    "apiBase",
    "api_base_url",
    "public_base_url",
    "api.base_url",
    "api.baseUrl",
    "api.base",
    "endpoints.base_url",
    "endpoints.base",
    "api.url",
    "server.url",
];
pub(super) const VERSIONS: &[&str] = &["version", "agentVersion", "agent_version", "app.version"];
pub(super) const CONTACTS: &[&str] = &[
    "contact",
    "contact.email",
    "contact.url",
    "contact_email",
    "support",
    "support.email",
    "support.url",
    "urls.support",
    "owner.email",
    "contact.contact_form",
    "contact_url",
    "contact.website",
    "contact.github",
    "support_email",
    "preferred_contact.url",
    "provider.contact",
    "provider.email",
    "author.email",
    "publisher.email",
    "agent.contact",
    "entity.contact",
    "primary_entity.contact",
    "site.contact",
    "author",
];
pub(super) const PROVIDERS: &[&str] = &[
    "provider",
    "publisher",
    "organization",
    "owner",
    "vendor",
    "company",
    "author",
    "builder",
    "operator",
    "builtBy",
    "creator",
];
pub(super) const DOCS: &[&str] = &[
    "documentation",
    "docs",
    "documentation_url",
    "documentationUrl",
    "urls.docs",
    "docs_url",
    "api_docs",
    "api.docs",
    "api.documentation",
    "links.documentation",
    "links.docs",
    "documentation.url",
    "docs.url",
    "docs.developers",
    "docs.quickstart",
];
pub(super) const LOGOS: &[&str] = &["logo", "logo_url", "logoUrl", "icon", "iconUrl", "icon_url"];
pub(super) const TAGS: &[&str] = &["tags", "categories", "keywords", "expertise"];
pub(super) const LANGUAGES: &[&str] = &["languages", "language"];
pub(super) const AUTHS: &[&str] = &[
    "authentication",
    "auth",
    "authorization",
    "securitySchemes",
    "security_schemes",
    "authSchemes",
    "security",
];
pub(super) const PAYMENTS: &[&str] = &[
    "payment",
    "payments",
    "x402",
    "extensions.x402",
    "payment_rails",
    "payment_protocol",
    "paymentProtocol",
    "pricing",
    "metadata.payment",
    "metadata.pricing",
    "tiers",
    "plans",
];
pub(super) const RATE_LIMITS: &[&str] = &["rate_limit", "rateLimit", "rate_limits", "rateLimits"];

/// Members that hold the address of the object around them.
pub(super) const GENERIC: &[&str] = &[
    "url",
    "endpoint",
    "base_url",
    "baseUrl",
    "base",
    "href",
    "server",
    "uri",
    "path",
    "address",
    "serverUrl",
    "server_url",
    "remote",
    "card",
    "cardUrl",
    "card_url",
    "sse",
    "sse_endpoint",
    "sseEndpoint",
    "http_endpoint",
    "remote_url",
];

pub(super) const ENDPOINTS: &[&str] = &["endpoint", "url", "path", "href", "route", "url_template"];

pub(super) const INPUTS: &[&str] = &[
    "inputSchema",
    "input_schema",
    "parameters",
    "params",
    "input",
    "inputs",
    "arguments",
    "args",
    "body",
    "requestBody",
    "request_body",
    "request.body",
    "schema",
];

pub(super) const OUTPUTS: &[&str] = &[
    "outputSchema",
    "output_schema",
    "returns",
    "output",
    "response",
];

/// Members with an example of the input of a call.
pub(super) const EXAMPLES: &[&str] = &[
    "examplePayload",
    "example_payload",
    "exampleRequest",
    "example_request",
];

/// Members that list servers of MCP by names of the publisher's choice.
pub(super) const SERVERS: &[&str] = &["mcpServers", "mcp_servers"];

/// Further members that hold addresses of interfaces (GP-13).
pub(super) const LISTS: &[&str] = &[
    "mcpServers",
    "mcp_servers",
    "endpoints",
    "apiEndpoints",
    "interfaces",
    "transports",
    "transport",
    "discovery",
    "protocols",
    "links",
];
