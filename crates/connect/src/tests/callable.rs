//! Values of `callable`.

use super::*;
use manifest::agent::{Auth, Program};

/// Returns how an agent can be called; the value is the same wherever it is asked for.
fn value(agent: Agent) -> Callable {
    let listing = listing(agent);
    let connect = connect(&listing, None, NOW);
    assert_eq!(callable(&listing), connect.callable);
    // There is an example exactly for a call, and an address only if something can be called.
    assert_eq!(
        connect.example.is_some(),
        connect.callable == Callable::Call
    );
    let is_idle = matches!(connect.callable, Callable::Run | Callable::Described);
    assert!(!is_idle || connect.endpoint.is_none(), "{connect:?}");
    assert!(!connect.callable_because.is_empty());
    connect.callable
}

fn with_interface(interface: Interface) -> Agent {
    Agent {
        interfaces: vec![interface],
        ..Agent::default()
    }
}

#[test]
fn a_call_is_complete_or_negotiated_or_not_there() {
    let a2a = interface("a2a", Some("JSONRPC"), Some("0.3"));
    assert_eq!(value(with_interface(a2a)), Callable::Call);
    for unclear in [
        interface("a2a", None, Some("0.3")),
        interface("a2a", Some("JSONRPC"), Some("7")),
        interface("mcp", None, None),
    ] {
        assert_eq!(value(with_interface(unclear)), Callable::Connect);
    }
    let rest = interface("rest", None, None);
    assert_eq!(value(with_interface(rest)), Callable::Described);
}

#[test]
fn a_program_is_run_and_an_address_behind_a_credential_is_asked_for() {
    let program = Program {
        command: Some("npx mesa".to_owned()),
        ..Program::default()
    };
    let program = Agent {
        programs: vec![program],
        ..Agent::default()
    };
    assert_eq!(value(program), Callable::Run);

    let auth = Auth {
        scheme: "bearer".to_owned(),
        registration_url: Some("https://mesa.example/register".to_owned()),
        ..Auth::default()
    };
    let agent = Agent {
        auth: vec![auth],
        ..with_interface(interface("rest", None, None))
    };
    let connect = connect(&listing(agent.clone()), None, NOW);
    assert_eq!(value(agent), Callable::Ask);
    let reason = "callers get a credential first, at https://mesa.example/register";
    assert_eq!(connect.callable_because, reason);
}

#[test]
fn a_home_page_is_no_address_to_call() {
    let agent = Agent {
        url: Some("https://mesa.example/".to_owned()),
        homepage: Some("https://mesa.example/".to_owned()),
        ..Agent::default()
    };
    assert_eq!(value(agent), Callable::Described);
}
