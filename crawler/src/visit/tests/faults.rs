//! Tests of panics in this program during a visit, which still ends with a record.

use super::*;
use store::Receipt;

/// Client that answers like the map, but panics for one path.
struct Faulty(Map, &'static str);

impl Fetch for Faulty {
    async fn resolve(&self, request: &Request) -> Result<IpAddr, FetchError> {
        assert!(self.1 != "a name", "a resolver");
        self.0.resolve(request).await
    }

    async fn get(&self, request: &Request) -> Result<Response, FetchError> {
        let answer = self.0.get(request).await;
        assert!(request.url.path() != self.1, "a decoder");
        answer
    }
}

/// Panics on the receipt of a manifest.
struct Deaf;

impl Observer for Deaf {
    fn receipt(&self, receipt: &Receipt) {
        assert!(receipt.verdict != "manifest", "an observer");
    }
}

#[tokio::test(start_paused = true)]
async fn p37_a_panic_while_reading_an_answer_affects_only_that_answer() {
    let visited = visit_at(&Faulty(Map::default(), CARD_PATH), START, None, lease()).await;
    let receipts = visited.visit.receipts;
    let broken: Vec<_> = receipts
        .iter()
        .filter(|it| it.url.ends_with(CARD_PATH))
        .collect();
    assert_eq!(broken.len(), 1, "{receipts:#?}");
    assert!(broken[0].why.contains("an internal error"), "{broken:?}");
    assert_eq!(visited.visit.requests as usize, receipts.len());
}

#[tokio::test(start_paused = true)]
async fn p29_a_panic_before_the_first_answer_postpones_the_visit() {
    for at in ["/robots.txt", "a name"] {
        let faulty = Faulty(Map::default(), at);
        let visited = visit_at(&faulty, START, None, lease()).await;
        let (outcome, next) = (visited.visit.outcome, visited.visit.next);
        assert_eq!(outcome, Outcome::ProtocolError, "{at}");
        assert_eq!(next.fails, lease().fails + 1, "{at}");
        assert!(
            next.due.since(visited.visit.ended) >= Duration::from_mins(50),
            "{at}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn p29_a_panic_of_the_visit_keeps_its_documents_and_receipts() {
    let map = Map::default().with(CARD_PATH, ok(CARD));
    let (settings, mut random) = (settings(), StdRng::seed_from_u64(7));
    let entrance = Admission::Open(look_up(&map, &lease()).await.unwrap(), None);
    let visited = visit(
        &map,
        &Deaf,
        &settings,
        lease(),
        entrance,
        START,
        &mut random,
    )
    .await;
    let visit = visited.visit;
    assert_eq!(visit.outcome, Outcome::ProtocolError);
    assert_eq!(visit.detail.as_deref(), Some("an internal error"));
    let asked = map.paths().len();
    assert_eq!(
        (visit.requests as usize, visit.receipts.len()),
        (asked, asked)
    );
    assert!(visit.next.due > visit.ended && visit.next.fails == lease().fails + 1);
    assert_eq!(visit.documents.len(), visited.readings.len());
}
