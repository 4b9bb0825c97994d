//! Names that sites use for the member of each field, the best first.

pub(super) const NAMES: &[&str] = &[
    "name",
    "displayName",
    "display_name",
    "title",
    "site.name",
    "agent.name",
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
    "site.description",
    "agent.description",
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
    "canonical",
    "canonical_url",
    "base_url",
    "baseUrl",
    "api_base",
    "api.base_url",
    "origin",
    "urls.homepage",
];
pub(super) const VERSIONS: &[&str] = &["version"];
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
    "author",
];
pub(super) const PROVIDERS: &[&str] = &["provider", "publisher", "owner", "organization", "author"];
pub(super) const DOCS: &[&str] = &[
    "documentation",
    "docs",
    "documentation_url",
    "documentationUrl",
    "urls.docs",
];
pub(super) const LOGOS: &[&str] = &["logo", "logo_url", "logoUrl", "icon", "iconUrl", "icon_url"];
pub(super) const TAGS: &[&str] = &["tags", "categories", "keywords", "expertise"];
pub(super) const LANGUAGES: &[&str] = &["languages", "language"];
pub(super) const AUTHS: &[&str] = &["authentication", "auth", "security"];
pub(super) const PAYMENTS: &[&str] = &["payment", "payments", "pricing", "x402"];
pub(super) const RATE_LIMITS: &[&str] = &["rate_limit", "rateLimit", "rate_limits", "rateLimits"];
