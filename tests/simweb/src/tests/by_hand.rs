//! Tests of scripts, failing handshakes, faulty HTTP/2 and long DNS answers.

use super::*;
use crate::{Act, Answer, Behaviour, Dns, Http2, Tls};

#[tokio::test]
async fn a_script_is_sent_verbatim_and_other_paths_get_the_usual_answers() {
    let script = [
        Act::send("HTTP/1.1 203 By Hand\r\nContent-Length: 4\r\n\r\nba"),
        Act::WaitMs(5),
        Act::flood("r", 2),
    ];
    let web = Simweb::builder()
        .site("mesa.example")
        .file("/a", "plain")
        .behaviour(Behaviour::default().path("/b", Answer::script(script)))
        .start()
        .await
        .unwrap();
    let by_hand = get(&web, "mesa.example", "/b").await;
    assert_eq!(by_hand.status(), 203);
    assert_eq!(by_hand.version(), http::Version::HTTP_11);
    assert_eq!(text(by_hand).await.unwrap(), "barr");
    assert_eq!(
        text(get(&web, "mesa.example", "/a").await).await.unwrap(),
        "plain"
    );
    let asked = web.requests_of("mesa.example");
    assert_eq!((asked[0].status, asked[1].status), (0, 200));
}

#[tokio::test]
async fn a_handshake_follows_its_configuration() {
    let handshakes = [Tls::Close, Tls::Reset, Tls::Plain, Tls::Alert(40), Tls::Old];
    let fine = [Tls::Normal, Tls::Tls12, Tls::AsksCertificate];
    let mut builder = Simweb::builder();
    for (number, tls) in handshakes.iter().chain(&fine).enumerate() {
        builder = builder
            .site(&format!("host{number}.example"))
            .file("/a", "a")
            .behaviour(Behaviour {
                tls: *tls,
                ..Behaviour::default()
            });
    }
    let web = builder.start().await.unwrap();
    for (number, tls) in handshakes.iter().chain(&fine).enumerate() {
        let url = web.url(&format!("host{number}.example"), "/a");
        let answer = client(&web).get(url).send().await;
        assert_eq!(answer.is_ok(), fine.contains(tls), "{tls:?}");
    }
    assert_eq!(web.requests().len(), fine.len());
}

#[tokio::test]
async fn faulty_http2_is_an_error_for_clients_and_is_recorded() {
    let web = Simweb::builder()
        .site("mesa.example")
        .behaviour(Behaviour {
            http2: Http2::Push,
            ..Behaviour::default()
        })
        .start()
        .await
        .unwrap();
    let url = web.url("mesa.example", "/a");
    assert!(client(&web).get(url).send().await.is_err());
    let asked = web.requests_of("mesa.example");
    assert_eq!((asked.len(), asked[0].path.as_str()), (1, ""));
}

#[tokio::test]
async fn dns_serves_aliases_and_later_addresses_and_truncates_long_answers() {
    let many: Vec<IpAddr> = (0..300_u16)
        .map(|number| {
            let [high, low] = number.to_be_bytes();
            IpAddr::from([127, 1, high, low])
        })
        .collect();
    let web = Simweb::builder()
        .site("mesa.example")
        .behaviour(Behaviour {
            aliases: 2,
            ttl: Some(7),
            later_addresses: vec!["127.0.0.7".parse().unwrap()],
            ..Behaviour::default()
        })
        .site("loop.example")
        .behaviour(Behaviour {
            dns: Dns::AliasLoop,
            ..Behaviour::default()
        })
        .site("many.example")
        .behaviour(Behaviour {
            addresses: many,
            ..Behaviour::default()
        })
        .start()
        .await
        .unwrap();
    let first = ask(&web, "mesa.example.", RecordType::A).await.unwrap();
    assert_eq!((first.answers.len(), first.answers[0].ttl), (3, 7));
    assert_eq!(addresses(&first), web.addresses_of("mesa.example"));
    let second = ask(&web, "mesa.example.", RecordType::A).await.unwrap();
    assert_eq!(addresses(&second), ["127.0.0.7".parse::<IpAddr>().unwrap()]);
    let looped = ask(&web, "loop.example.", RecordType::A).await.unwrap();
    assert_eq!((looped.answers.len(), addresses(&looped).len()), (2, 0));
    let many = ask(&web, "many.example.", RecordType::A).await.unwrap();
    assert!(many.metadata.truncation && many.answers.is_empty());
}
