//! A name server that passes questions on until it is cut.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Longest time for the other name server to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Most bytes of a message over UDP.
const LONGEST: usize = 4_096;

/// Name server before another one; silent while it is cut.
pub(crate) struct NameServer {
    address: SocketAddr,
    is_cut: Arc<AtomicBool>,
    _tasks: JoinSet<()>,
}

impl NameServer {
    /// Starts one before the name server at an address.
    pub(crate) async fn before(other: SocketAddr) -> Self {
        let socket = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
        let address = socket.local_addr().unwrap();
        let is_cut = Arc::new(AtomicBool::new(false));
        let mut tasks = JoinSet::new();
        tasks.spawn(serve(socket, other, Arc::clone(&is_cut)));
        Self {
            address,
            is_cut,
            _tasks: tasks,
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers nothing from now on.
    pub(crate) fn cut(&self) {
        self.is_cut.store(true, Ordering::Relaxed);
    }

    /// Answers again.
    pub(crate) fn restore(&self) {
        self.is_cut.store(false, Ordering::Relaxed);
    }
}

async fn serve(socket: Arc<UdpSocket>, other: SocketAddr, is_cut: Arc<AtomicBool>) {
    let mut questions = JoinSet::new();
    let mut question = vec![0; LONGEST];
    while let Ok((length, client)) = socket.recv_from(&mut question).await {
        while questions.try_join_next().is_some() {}
        if !is_cut.load(Ordering::Relaxed) {
            let question = question[..length].to_vec();
            questions.spawn(pass_on(question, (Arc::clone(&socket), client), other));
        }
    }
}

/// Sends a question to another name server, and its answer to the client.
async fn pass_on(
    question: Vec<u8>,
    (socket, client): (Arc<UdpSocket>, SocketAddr),
    other: SocketAddr,
) -> std::io::Result<()> {
    let question_socket = UdpSocket::bind("127.0.0.1:0").await?;
    question_socket.send_to(&question, other).await?;
    let mut answer = vec![0; LONGEST];
    let length = timeout(PATIENCE, question_socket.recv(&mut answer)).await??;
    socket.send_to(&answer[..length], client).await?;
    Ok(())
}
