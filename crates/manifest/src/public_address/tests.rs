//! Tests with every notation of an address.

use super::*;
use NotPublic::{Address, PrivateName, SingleLabel};

#[test]
fn an_address_that_only_its_own_network_can_call_is_not_public() {
    for (address, reason) in [
        ("http://10.0.0.7/a2a", Address),
        ("http://172.16.9.9:8080/", Address),
        ("https://192.168.178.1/mcp", Address),
        ("http://169.254.169.254/latest/meta-data/", Address),
        ("http://100.100.100.200/latest/", Address),
        ("http://127.0.0.1:3000/", Address),
        ("http://0.0.0.0/", Address),
        ("http://0/", Address),
        ("http://2130706433/", Address),
        ("http://0x7f000001/", Address),
        ("http://0177.0.0.1/", Address),
        ("http://127.1/", Address),
        ("http://１２７.０.０.１/", Address),
        ("http://127.0.0.1./", Address),
        ("http://[::]/", Address),
        ("http://[::1]:8080/", Address),
        ("http://[fd12:3456:789a::1]/", Address),
        ("http://[fe80::1]/", Address),
        ("http://[::ffff:169.254.169.254]/", Address),
        ("http://[64:ff9b::a9fe:a9fe]/", Address),
        ("grpc://2130706433:50051", Address),
        ("grpc://0x7f.1/", Address),
        ("10.0.0.7:50051", Address),
        ("127.0.0.1", Address),
        ("http://user:word@10.0.0.7/", Address),
        ("http://gateway/", SingleLabel),
        ("http://intranet/", PrivateName),
        ("http://{tenant}/a2a", SingleLabel),
        ("backend:50051", SingleLabel),
        ("wss://gateway/ws", SingleLabel),
        ("http://localhost/", PrivateName),
        ("localhost:50051", PrivateName),
        ("http://LOCALHOST./", PrivateName),
        ("http://a.localhost/", PrivateName),
        ("http://printer.local/", PrivateName),
        ("http://metadata.google.internal/", PrivateName),
        ("http://metadata.google.internal./", PrivateName),
        ("https://{region}.agents.internal/", PrivateName),
        ("http://router.lan/", PrivateName),
        ("http://wiki.corp/", PrivateName),
        ("http://nas.home.arpa/", PrivateName),
        ("http://site.onion/", PrivateName),
    ] {
        assert_eq!(of_url(address), Some(reason), "{address}");
    }
}

#[test]
fn an_address_that_anybody_can_call_is_public() {
    for address in [
        "https://shop.example/a2a",
        "https://SHOP.example./",
        "https://shop.test/",
        "https://{region}.api.shop.example/{path}",
        "https://api.shop.example:8443/",
        "api.shop.example:50051",
        "grpc://api.shop.example:50051",
        "https://internal.shop.example/",
        "https://local.shop.example/?to=http://10.0.0.7/",
        "https://notlocal.example/",
        "https://9.9.9.9/",
        "https://[2606:2800:220:1::1]/",
        "/a2a",
        "",
        "{",
        "mailto:shop@shop.example",
    ] {
        assert_eq!(of_url(address), None, "{address}");
    }
}
