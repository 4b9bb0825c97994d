//! A long list of names that do not resolve: read, recorded and counted, in little memory.

use crate::support::pipeline::Pipeline;
use std::fmt::Write as _;

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_thousand_names_that_do_not_resolve_are_recorded_with_flat_memory() {
    let peak_of = async |count: usize| {
        // Every name gets NXDOMAIN: the web has one site, which is not in the list.
        let web = simweb::Simweb::builder()
            .site("elsewhere.example")
            .start()
            .await
            .unwrap();
        let pipeline = Pipeline::new(web);
        let list = (0..count).fold(String::new(), |mut list, number| {
            let _ = writeln!(list, "absent-{number}.example");
            list
        });
        std::fs::write(pipeline.folder.path().join("seeds.txt"), list).unwrap();
        let started = std::time::Instant::now();
        let ran = pipeline.crawl(&[]);
        assert_eq!(ran.code, Some(0), "{}", ran.output);
        println!(
            "{count} names: {:.1} s, peak {} MiB",
            started.elapsed().as_secs_f64(),
            ran.peak_kib / 1024
        );
        let stats = pipeline
            .store()
            .await
            .stats(manifest::Timestamp(0))
            .await
            .unwrap();
        assert_eq!(stats.domains, count as u64);
        assert_eq!(stats.outcomes.get("dns_error"), Some(&(count as u64)));
        assert!(
            ran.output.contains("dns_error"),
            "the summary does not count them:\n{}",
            ran.output
        );
        assert!(pipeline.web.requests().is_empty());
        ran.peak_kib
    };
    let few = peak_of(10_000).await;
    let many = peak_of(100_000).await;
    // The page caches of the database, 64 MiB in all, fill up once and then stay.
    assert!(
        many < few + 80 * 1024,
        "{few} KiB for 10,000 names, {many} KiB for 100,000"
    );
}
