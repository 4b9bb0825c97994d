//! Description of this process, for others.

/// Returns the id of this process and the name of its machine.
pub(super) fn process() -> String {
    let machine = rustix::system::uname();
    let machine = machine.nodename().to_string_lossy();
    format!("{} on {machine}", std::process::id())
}
