//! Tests of visits that redirects lead to another host in the same network.

use super::*;

/// A host whose www is another host at another address in the same network.
struct Pair {
    map: Map,
    last: u8,
}

impl Pair {
    fn new(last: u8) -> Self {
        let www = format!("{}{CARD_PATH}", Self::url(last, "www."));
        let map = Map::default()
            .with(&format!("{}{CARD_PATH}", Self::url(last, "")), to(&www))
            .with(&www, ok(CARD));
        Self { map, last }
    }

    fn url(last: u8, below: &str) -> String {
        format!("https://{below}shop{last}.com")
    }

    async fn visit(&self, settings: &Settings) -> FinishedVisit {
        let lease = Lease {
            domain: Domain::parse(&format!("shop{}.com", self.last)).unwrap(),
            ..lease()
        };
        let address = look_up(self, &lease).await.unwrap();
        let entry = {
            let site = lease.domain.registrable();
            settings.gate.lock().enter(site, address, Instant::now())
        };
        assert!(
            matches!(entry, crate::rate_limit::Entry::Now(_)),
            "{entry:?}"
        );
        let mut random = StdRng::seed_from_u64(7);
        let entrance = Admission::Open(address, None);
        visit(self, &(), settings, lease, entrance, START, &mut random).await
    }
}

impl Fetch for Pair {
    async fn resolve(&self, request: &Request) -> Result<IpAddr, FetchError> {
        let is_www = request.url.host_str().unwrap().starts_with("www.");
        let last = self.last + if is_www { 100 } else { 0 };
        Ok(IpAddr::from([8, 8, 8, last]))
    }

    async fn get(&self, request: &Request) -> Result<Response, FetchError> {
        self.map.get(request).await
    }
}

/// P20: the four visits that a network admits do not wait for the permits that each of them has.
#[tokio::test(start_paused = true)]
async fn p20_visits_redirected_to_a_neighbour_need_no_second_permit_of_the_network() {
    let settings = settings();
    let pairs = [1, 2, 3, 4].map(Pair::new);
    let [one, two, three, four] = &pairs;
    let visited = tokio::join!(
        one.visit(&settings),
        two.visit(&settings),
        three.visit(&settings),
        four.visit(&settings)
    );
    for visited in <[FinishedVisit; 4]>::from(visited) {
        let domain = &visited.visit.lease.domain;
        assert_eq!(visited.visit.outcome, Outcome::Found, "{domain}");
        assert_eq!(visited.interruption, None, "{domain}");
    }
}
