//! Faults of ours during a visit: it ends with a record all the same.

use super::*;
use store::Receipt;

/// Answers like the map, and panics for one path.
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

/// Panics when it hears of a document.
struct Deaf;

impl Observer for Deaf {
    fn receipt(&self, receipt: &Receipt) {
        assert!(receipt.verdict != "manifest", "an observer");
    }
}

#[tokio::test(start_paused = true)]
async fn p37_a_fault_while_an_answer_is_read_is_that_answers_and_not_tried_again() {
    let visited = visit_at(&Faulty(Map::default(), CARD_PATH), START, None, lease()).await;
    let receipts = visited.visit.receipts;
    let broken: Vec<_> = receipts
        .iter()
        .filter(|it| it.url.ends_with(CARD_PATH))
        .collect();
    assert_eq!(broken.len(), 1, "{receipts:#?}");
    assert!(broken[0].why.contains("a fault of ours"), "{broken:?}");
    assert_eq!(visited.visit.requests as usize, receipts.len());
}

#[tokio::test(start_paused = true)]
async fn p29_a_fault_before_anything_is_known_ends_a_visit_that_comes_back_later() {
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
async fn p29_a_fault_of_the_visit_itself_keeps_what_was_found_and_asked() {
    let map = Map::default().with(CARD_PATH, ok(CARD));
    let (settings, mut random) = (settings(), StdRng::seed_from_u64(7));
    let entrance = Entrance::Open(look_up(&map, &lease()).await.unwrap(), None);
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
    assert_eq!(visit.detail.as_deref(), Some("a fault of ours"));
    let asked = map.paths().len();
    assert_eq!(
        (visit.requests as usize, visit.receipts.len()),
        (asked, asked)
    );
    assert!(visit.next.due > visit.ended && visit.next.fails == lease().fails + 1);
    assert_eq!(visit.documents.len(), visited.readings.len());
}
