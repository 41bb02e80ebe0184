//! Waiting for what passes by itself: a rate limit, an overloaded service, the network.

use std::time::Duration;

use tdd_child::signals::StopSignal;
use tdd_core::trouble::Trouble;

/// Waits; a stop signal ends it at once with the trouble of being stopped.
pub(super) async fn wait(time: Duration, stop: &StopSignal) -> Result<(), Trouble> {
    let mut stop = stop.clone();
    let asked = async {
        match stop.wait_for(Option::is_some).await.map(|signal| *signal) {
            Ok(Some(signal)) => signal,
            // Nobody can send one any more.
            Ok(None) | Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        signal = asked => Err(Trouble::stopped(signal)),
        () = tokio::time::sleep(time) => Ok(()),
    }
}

/// What a person is told before a wait. `number` is the wait's, from 1.
pub(super) fn announce(trouble: &Trouble, wait: Duration, number: usize, of: usize) -> String {
    let seconds = wait.as_secs();
    format!("{}; trying again in {seconds} s (wait {number} of {of}, no attempt is spent)", trouble.what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tdd_core::trouble::TroubleKind;
    use tokio::sync::watch;

    #[test]
    fn a_stop_ends_the_wait_at_once() {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().start_paused(true).build().unwrap().block_on(async {
            let began = tokio::time::Instant::now();
            let (send, stop) = watch::channel(None);
            assert_eq!(wait(Duration::from_mins(1), &stop).await, Ok(()));
            assert_eq!(began.elapsed(), Duration::from_mins(1));
            let interrupter = async {
                tokio::time::sleep(Duration::from_secs(1)).await;
                send.send_replace(Some(2));
            };
            let (waited, ()) = tokio::join!(wait(Duration::from_mins(1), &stop), interrupter);
            assert_eq!(waited.unwrap_err().kind, TroubleKind::Stopped(2));
            assert_eq!(began.elapsed(), Duration::from_secs(61));
            assert_eq!(wait(Duration::from_secs(9), &stop).await.unwrap_err().kind, TroubleKind::Stopped(2));
        });
    }
}
