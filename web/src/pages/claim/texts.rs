//! Texts of the pages about claims, by the purpose of a claim.

use store::ClaimAction;

/// Texts about one purpose.
#[derive(Debug)]
pub(super) struct Texts {
    /// Path of the form.
    pub(super) path: &'static str,
    /// Title of the form.
    pub(super) title: &'static str,
    /// Effect, in one or two sentences.
    pub(super) lead: &'static str,
    /// Text that is published.
    pub(super) published: &'static str,
    /// Result once it is found, after "Once it is found,".
    pub(super) result: &'static str,
    /// Section of the document about it.
    pub(super) docs: &'static str,
}

/// Returns the texts about a purpose.
pub(super) fn of(action: ClaimAction) -> &'static Texts {
    match action {
        ClaimAction::Leave => &LEAVE,
        ClaimAction::Return => &RETURN,
        ClaimAction::Own => &OWN,
    }
}

const LEAVE: Texts = Texts {
    path: "/leave",
    title: "Leave the registry",
    lead: "The domain is no longer visited or listed, and everything stored about it is deleted. \
        Not even its DNS name is looked up any more.",
    published: "the token",
    result: "the domain has left",
    docs: "/docs/moderation#leaving-for-owners",
};

const RETURN: Texts = Texts {
    path: "/return",
    title: "Return to the registry",
    lead: "A domain that left may be visited and listed again, as if it were new.",
    published: "the token",
    result: "a visit is due",
    docs: "/docs/moderation#coming-back",
};

const OWN: Texts = Texts {
    path: "/own",
    title: "Prove that a site is yours",
    lead: "With the proof, you ask for visits again after minutes instead of hours, for 30 days. \
        It changes nothing else about the listing.",
    published: "the fingerprint of the token",
    result: "the token shortens the waits",
    docs: "/docs/moderation#proving-a-domain",
};
