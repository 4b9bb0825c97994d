//! A fleet of simulated crawlers, each with a boot clock of its own, and a table that they share:
//! whatever joins, dies or is stopped at whatever moment, a network is contacted by one crawler at a
//! time, and every slot is in use again soon.

use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, HashMap};
use store::{Holding, Member};

/// Milliseconds of a step of the simulation.
const STEP: i64 = 250;
/// Pause between two requests to a network, in milliseconds.
const GAP: Duration = Duration::from_secs(1);
/// Longest time from the permission for a request, which may be that of another member, to the end of its
/// answer, in milliseconds.
const LONGEST: i64 = 25_000;
/// Time after which a crawler waits for no answer of the database any more, in milliseconds.
const TIMEOUT: i64 = 5_000;
/// Time after the last event within which every slot is in use again.
const CALM: i64 = 200_000;

/// Something that happens to the fleet.
#[derive(Clone, Debug)]
enum Event {
    /// A crawler starts, whose boot clock shows this time and loses or gains so many milliseconds a
    /// second.
    Join { uptime: i64, drift: i64 },
    /// A crawler is killed.
    Kill(usize),
    /// A crawler is told to end, and gives its slots up.
    End(usize),
    /// A crawler does nothing for this time, in the middle of whatever it does.
    Stop(usize, i64),
    /// The next answer of the database takes this time to reach a crawler.
    Delay(usize, i64),
    /// The database does not answer for this time.
    Away(i64),
    /// The own connection of a crawler is down for this time: it gives up all slots but some, and takes none.
    Offline(usize, i64),
}

/// Returns a time in milliseconds.
fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap()
}

impl Event {
    /// Returns the time for which it lasts, in milliseconds.
    fn duration(&self) -> i64 {
        match self {
            Self::Stop(_, time)
            | Self::Delay(_, time)
            | Self::Offline(_, time)
            | Self::Away(time) => *time,
            Self::Join { .. } | Self::Kill(_) | Self::End(_) => 0,
        }
    }
}

fn event() -> impl Strategy<Value = Event> {
    let which = 0..6_usize;
    prop_oneof![
        3 => (0..2_000_000_000_i64, -5..=5_i64)
            .prop_map(|(uptime, drift)| Event::Join { uptime, drift }),
        2 => which.clone().prop_map(Event::Kill),
        1 => which.clone().prop_map(Event::End),
        4 => (which.clone(), 0..60_000_i64).prop_map(|(it, time)| Event::Stop(it, time)),
        3 => (which.clone(), 0..30_000_i64).prop_map(|(it, time)| Event::Delay(it, time)),
        2 => (which, 0..60_000_i64).prop_map(|(it, time)| Event::Offline(it, time)),
        1 => (0..40_000_i64).prop_map(Event::Away),
    ]
}

/// The tables, as the store keeps them.
#[derive(Default)]
struct Tables {
    view: FleetView,
    /// Last renewals of the members.
    rounds: HashMap<String, u64>,
    away_until: i64,
    /// Questions whose answer nothing waits for any more.
    late: Vec<Question>,
}

impl Tables {
    fn join(&mut self, me: &str) {
        let until = self.view.now + millis(TERM);
        let member = Member {
            description: String::new(),
            since: self.view.now,
            until,
            is_leaving: false,
            options: BTreeMap::new(),
        };
        self.view.members.insert(me.to_owned(), member);
    }

    /// Renews a member.
    fn renew(&mut self, question: &Question) -> Answer {
        let (me, now) = (&*question.me, self.view.now);
        let member = self.view.members.get_mut(me);
        let round = self.rounds.entry(me.to_owned()).or_default();
        let Some(member) = member.filter(|_| *round < question.round) else {
            return Answer::Ended;
        };
        *round = question.round;
        member.until = now + millis(TERM);
        member.is_leaving = question.is_leaving;
        for slot in &question.plan.give_up {
            self.free(*slot, me, now + millis(GAP));
        }
        for name in &question.plan.expired {
            let member = self.view.members.get(name);
            if let Some(until) = member.map(|it| it.until).filter(|until| *until < now) {
                self.view.members.remove(name);
                for slot in 0..=u8::MAX {
                    self.free(slot, name, until + millis(after_end(GAP)));
                }
            }
        }
        self.view.slots.resize(SLOTS, Holding::default());
        for slot in &question.plan.take {
            let holding = &mut self.view.slots[usize::from(*slot)];
            holding.holder.get_or_insert_with(|| me.to_owned());
        }
        Answer::Renewed(self.view.clone())
    }

    fn free(&mut self, slot: u8, holder: &str, usable_from: i64) {
        let Some(holding) = self.view.slots.get_mut(usize::from(slot)) else {
            return;
        };
        if holding.holder.as_deref() == Some(holder) {
            holding.holder = None;
            holding.usable_from = holding.usable_from.max(usable_from);
        }
    }
}

/// Answer to a renewal.
enum Answer {
    /// The tables after the changes that the member asks for.
    Renewed(FleetView),
    /// The membership has ended, or a later renewal came first.
    Ended,
}

/// Question to the database that is under way.
struct Question {
    me: String,
    round: u64,
    /// Time at which the crawler asked, by its own clock.
    before: Duration,
    plan: FleetPlan,
    is_leaving: bool,
    asked_at: i64,
    /// Time at which the database answers.
    answered_at: i64,
    /// Time at which the answer arrives.
    arrives_at: i64,
    /// Answer of the database, once it has answered.
    answer: Option<Answer>,
}

/// Visit of a crawler to a network.
struct UnderWay {
    /// End of the last answer.
    until: i64,
    /// Number of requests that follow.
    requests: i64,
}

/// A crawler of the simulation.
struct Crawler {
    name: String,
    uptime: i64,
    drift: i64,
    permissions: Permissions,
    is_member: bool,
    is_leaving: bool,
    has_ended: bool,
    stopped_until: i64,
    /// End of an outage of its own connection, and the slots that it keeps until then.
    offline_until: i64,
    kept: Slots,
    delay: i64,
    next_renewal: i64,
    round: u64,
    question: Option<Question>,
    visits: HashMap<Slot, UnderWay>,
}

impl Crawler {
    fn new(number: usize, uptime: i64, drift: i64) -> Self {
        Self {
            name: format!("crawler {number}"),
            uptime,
            drift,
            permissions: Permissions::default(),
            is_member: false,
            is_leaving: false,
            has_ended: false,
            stopped_until: 0,
            offline_until: 0,
            kept: Slots::from_iter([]),
            delay: 0,
            next_renewal: 0,
            round: 0,
            question: None,
            visits: HashMap::new(),
        }
    }

    fn boot(&self, at: i64) -> Duration {
        let time = self.uptime + at + at * self.drift / 1_000;
        Duration::from_millis(u64::try_from(time).unwrap())
    }

    /// Renews the membership when it is time, and takes the answer in.
    fn renew(&mut self, tables: &mut Tables, at: i64) {
        if self.question.is_none() && at >= self.next_renewal {
            let delay = std::mem::take(&mut self.delay);
            self.round += 1;
            let is_offline = at < self.offline_until;
            let is_leaving = self.is_leaving || is_offline;
            let mut busy: Slots = self.visits.keys().copied().collect();
            if is_offline {
                busy.add(&self.kept);
            }
            self.question = Some(Question {
                me: self.name.clone(),
                round: self.round,
                before: self.boot(at),
                plan: self.permissions.next_plan(&busy, is_leaving),
                is_leaving,
                asked_at: at,
                answered_at: at + delay / 2,
                arrives_at: at + delay,
                answer: None,
            });
            self.next_renewal = at + millis(RENEWAL);
        }
        let answered = self
            .question
            .take_if(|it| it.answer.is_some() && at >= it.arrives_at);
        match answered.and_then(|it| Some((it.before, it.answer?))) {
            None => {}
            Some((before, Answer::Renewed(view))) => {
                let after = self.boot(at);
                self.permissions.renewed(&self.name, &view, before, after);
                let mut holders = view.slots.iter().filter_map(|it| it.holder.as_deref());
                self.has_ended = self.is_leaving && !holders.any(|it| it == self.name);
            }
            Some((_, Answer::Ended)) => {
                // Whatever is under way is broken off; it may be a new member then.
                self.permissions.end();
                self.visits.clear();
                self.offline_until = 0;
                self.name.push('+');
                self.is_member = false;
            }
        }
        if let Some(question) = self.question.take_if(|it| at > it.asked_at + TIMEOUT) {
            tables.late.push(question);
        }
        if !self.is_member && tables.away_until <= at {
            tables.join(&self.name);
            self.is_member = true;
        }
    }

    /// Reports whether it may begin a visit, be led there by a redirect, or try its connection out.
    fn has(&self, slot: Slot, at: i64) -> bool {
        match self.permissions.access(slot, self.boot(at)) {
            Access::Now => true,
            Access::Ending if self.permissions.admits_redirect(slot, self.boot(at)) => true,
            Access::Ending => at < self.offline_until && self.kept.has(slot),
            Access::NotBefore(_) | Access::Elsewhere | Access::Lapsed => false,
        }
    }

    /// Sends every request that it may.
    fn send(&mut self, web: &mut Web, at: i64, random: &mut impl FnMut(i64) -> i64) {
        let now = self.boot(at);
        for slot in Slot::all() {
            let is_own = self.has(slot, at);
            match self.visits.get_mut(&slot) {
                Some(visit) if at < visit.until => {}
                Some(visit) if visit.requests == 0 => {
                    self.visits.remove(&slot);
                }
                Some(visit)
                    if at >= visit.until + millis(GAP) && self.permissions.is_current(now) =>
                {
                    visit.until = at + random(LONGEST);
                    visit.requests -= 1;
                    web.request(slot, &self.name, at, visit.until);
                }
                None if is_own && random(4) == 0 => {
                    let visit = UnderWay {
                        until: at + random(LONGEST),
                        requests: random(3),
                    };
                    web.request(slot, &self.name, at, visit.until);
                    self.visits.insert(slot, visit);
                }
                Some(_) | None => {}
            }
        }
    }
}

/// The simulated web, and the log by which the fleet is judged.
#[derive(Default)]
struct Web {
    /// Last crawler and end of the last answer, by slot.
    log: HashMap<Slot, (String, i64)>,
    requests: u64,
}

impl Web {
    fn request(&mut self, slot: Slot, crawler: &str, at: i64, until: i64) {
        // Clocks that lose or gain five milliseconds a second measure the gap as inexactly.
        let gap = millis(GAP) * 99 / 100;
        let entry = self.log.entry(slot);
        let (last, end) = entry.or_insert_with(|| (crawler.to_owned(), at));
        assert!(
            last == crawler || at >= *end + gap,
            "{crawler} contacts {slot:?} at {at}, while {last} does until {end}"
        );
        crawler.clone_into(last);
        *end = until.max(*end);
        self.requests += 1;
    }
}

/// Runs a fleet through events, each so many milliseconds after the one before, and then in calm.
fn run(events: &[(i64, Event)], mut luck: u64) -> Web {
    // A generator of George Marsaglia's, so that a run depends on nothing but its arguments.
    let mut random = move |below: i64| {
        luck ^= luck << 13;
        luck ^= luck >> 7;
        luck ^= luck << 17;
        i64::try_from(luck % u64::try_from(below).unwrap()).unwrap()
    };
    let mut tables = Tables::default();
    let mut web = Web::default();
    let mut fleet = vec![Crawler::new(0, 12_345, 0)];
    let mut event_at = 0;
    let mut times = events.iter().map(|(wait, event)| {
        event_at += wait;
        (event_at, event)
    });
    let mut next = times.next();
    let mut last = 0;
    let ends = events.iter().map(|(wait, event)| {
        last += wait;
        last + event.duration()
    });
    let end = ends.max().unwrap_or(0) + CALM;
    let mut joined = 0;
    for at in (0..end).step_by(usize::try_from(STEP).unwrap()) {
        while let Some((_, event)) = next.filter(|it| it.0 <= at) {
            joined += 1;
            happen(event, &mut fleet, &mut tables, (at, joined));
            next = times.next();
        }
        tables.view.now = 1_700_000_000_000 + at;
        // The database answers whatever a crawler does by then.
        if tables.away_until <= at {
            let late = std::mem::take(&mut tables.late);
            let (due, later): (Vec<_>, Vec<_>) =
                late.into_iter().partition(|it| it.answered_at <= at);
            tables.late = later;
            for question in due.iter().filter(|it| it.answer.is_none()) {
                tables.renew(question);
            }
            for question in fleet.iter_mut().filter_map(|it| it.question.as_mut()) {
                if question.answer.is_none() && question.answered_at <= at {
                    question.answer = Some(tables.renew(question));
                }
            }
        }
        for crawler in fleet.iter_mut().filter(|it| it.stopped_until <= at) {
            crawler.renew(&mut tables, at);
            crawler.send(&mut web, at, &mut random);
        }
        fleet.retain(|it| !it.has_ended);
    }
    for slot in Slot::all() {
        let can_use = |it: &&Crawler| it.permissions.access(slot, it.boot(end)) == Access::Now;
        let users = fleet.iter().filter(can_use).count();
        let staying = fleet.iter().filter(|it| !it.is_leaving).count();
        let accesses = fleet
            .iter()
            .map(|it| it.permissions.access(slot, it.boot(end)));
        let accesses: Vec<Access> = accesses.collect();
        assert_eq!(users, staying.min(1), "{slot:?} in the end: {accesses:?}");
    }
    let staying = fleet.iter().filter(|it| !it.is_leaving);
    let counts = staying.map(|it| it.permissions.slots(it.boot(end)).len());
    let counts: Vec<usize> = counts.collect();
    let is_equal = |it: &usize| it.abs_diff(SLOTS / counts.len()) <= 1;
    assert!(counts.iter().all(is_equal), "in the end: {counts:?}");
    web
}

/// Lets an event happen.
fn happen(
    event: &Event,
    fleet: &mut Vec<Crawler>,
    tables: &mut Tables,
    (at, number): (i64, usize),
) {
    let count = fleet.len().max(1);
    match event {
        Event::Join { uptime, drift } if fleet.len() < 6 => {
            fleet.push(Crawler::new(number, *uptime, *drift));
        }
        Event::Join { .. } => {}
        Event::Kill(which) if fleet.is_empty() || *which >= fleet.len() => {}
        Event::Kill(which) => {
            let killed = fleet.remove(*which);
            tables.late.extend(killed.question);
        }
        Event::End(which) => {
            if let Some(crawler) = fleet.get_mut(which % count) {
                crawler.is_leaving = true;
            }
        }
        Event::Stop(which, time) => {
            if let Some(crawler) = fleet.get_mut(which % count) {
                crawler.stopped_until = crawler.stopped_until.max(at + time);
            }
        }
        Event::Delay(which, time) => {
            if let Some(crawler) = fleet.get_mut(which % count) {
                crawler.delay = *time;
            }
        }
        Event::Offline(which, time) => {
            if let Some(crawler) = fleet.get_mut(which % count) {
                let known = Slot::all().filter(|it| it.number() % 32 == 0).collect();
                crawler.kept = crawler.permissions.kept(&known, crawler.boot(at));
                crawler.offline_until = at + time;
            }
        }
        Event::Away(time) => tables.away_until = tables.away_until.max(at + time),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_network_is_contacted_by_one_crawler_at_a_time(
        events in prop::collection::vec((0..10_000_i64, event()), 0..16),
        luck in 1..u64::MAX,
    ) {
        run(&events, luck);
    }
}

#[test]
fn a_slot_is_that_of_its_network() {
    let slot = |text: &str| Slot::at(text.parse().unwrap());
    assert_eq!(slot("192.0.2.1"), slot("192.0.2.250"));
    assert_eq!(slot("2001:db8:1:2::1"), slot("2001:db8:1:ffff::1"));
    assert_ne!(slot("192.0.2.1"), slot("192.0.3.1"));
}

#[test]
fn p51_the_slots_that_a_member_kept_in_an_outage_remain_its_own() {
    let mut tables = Tables::default();
    tables.join("a");
    let mut permissions = Permissions::default();
    let (nothing, kept) = (Slots::from_iter([]), Slots::from_iter([Slot::from(7)]));
    let renewals = [
        (&nothing, false),
        (&nothing, false),
        (&kept, true),
        (&kept, true),
        (&nothing, false),
    ];
    let mut counts = Vec::new();
    for (round, (busy, is_leaving)) in (1..).zip(renewals) {
        let answer = tables.renew(&Question {
            me: "a".to_owned(),
            round,
            before: Duration::ZERO,
            plan: permissions.next_plan(busy, is_leaving),
            is_leaving,
            asked_at: 0,
            answered_at: 0,
            arrives_at: 0,
            answer: None,
        });
        let Answer::Renewed(view) = answer else {
            panic!("the membership has ended");
        };
        permissions.renewed("a", &view, Duration::ZERO, Duration::ZERO);
        let holders = view.slots.iter().filter(|it| it.holder.is_some());
        counts.push(holders.count());
    }
    assert_eq!(counts, [0, SLOTS, SLOTS, 1, 1]);
    assert_eq!(
        permissions.access(Slot::from(7), Duration::ZERO),
        Access::Now
    );
}

/// Returns what each member has once all have what they ask for.
fn settled(names: &[&str], slots: &[Holding]) -> FleetView {
    let member = Member {
        description: String::new(),
        since: 0,
        until: 1,
        is_leaving: false,
        options: BTreeMap::new(),
    };
    let members = names.iter().map(|it| ((*it).to_owned(), member.clone()));
    let mut view = FleetView {
        members: members.collect(),
        slots: slots.to_vec(),
        ..FleetView::default()
    };
    let homes = homes(&view).into_iter().map(|home| Holding {
        holder: home.map(str::to_owned),
        usable_from: 0,
    });
    view.slots = homes.collect();
    view
}

/// Returns the numbers of slots of members, by name.
fn shares(view: &FleetView) -> BTreeMap<&str, usize> {
    let mut shares = BTreeMap::new();
    for holding in &view.slots {
        *shares
            .entry(holding.holder.as_deref().unwrap())
            .or_default() += 1;
    }
    shares
}

#[test]
fn p51_all_members_have_equal_shares_and_a_change_moves_only_that_of_one() {
    let mut fleet = settled(&["a"], &[]);
    assert_eq!(shares(&fleet), BTreeMap::from([("a", 256)]));
    for names in [
        &["a", "c"][..],
        &["a", "b", "c"],
        &["a", "b", "c", "d"],
        &["a", "b", "c", "d", "e"],
        &["a", "b", "d", "e"],
        &["b", "d", "e"],
    ] {
        let changed = settled(names, &fleet.slots);
        let counts: Vec<usize> = shares(&changed).into_values().collect();
        assert_eq!(counts.len(), names.len());
        assert!(counts.iter().all(|it| it.abs_diff(256 / names.len()) <= 1));
        let is_in = |view: &FleetView, name: &String| view.members.contains_key(name);
        for (old, new) in fleet.slots.iter().zip(&changed.slots) {
            let (old, new) = (old.holder.as_ref().unwrap(), new.holder.as_ref().unwrap());
            let is_needed = !is_in(&changed, old) || !is_in(&fleet, new);
            assert!(old == new || is_needed, "from {old} to {new} of {names:?}");
        }
        fleet = changed;
    }
    assert_eq!(homes(&FleetView::default()), vec![None; SLOTS]);
}
