//! The server of the bench, in a process of its own: it answers each request at once.

use dyno_tests::calls::answers::Answers;
use std::env;
use std::io::{BufRead as _, BufReader, Read as _, Write as _, stdin, stdout};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::{process, thread};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// A running server, which ends with this value.
pub(crate) struct Server {
    process: Child,
    pub(crate) port: u16,
    /// The certificate of a server with TLS, as PEM.
    pub(crate) certificate: Option<String>,
}

impl Server {
    /// Starts the server as another process of this program.
    pub(crate) fn start(with_tls: bool) -> Self {
        let mut server = Command::new(env::current_exe().expect("this program"));
        server.arg(if with_tls { "serve-tls" } else { "serve" }).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = server.spawn().expect("a server");
        let mut lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        let mut line = || lines.next().expect("a line").expect("text");
        let port = line().parse().expect("a port");
        let certificate = with_tls.then(|| {
            let mut pem = line();
            while !pem.ends_with("-----END CERTIFICATE-----") {
                pem = pem + "\n" + &line();
            }
            pem
        });
        Self { process, port, certificate }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Serves until the other process ends, which closes this one's standard input.
pub(crate) async fn serve(with_tls: bool) {
    thread::spawn(|| {
        drop(stdin().read_to_end(&mut Vec::new()));
        process::exit(0);
    });
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    println!("{}", listener.local_addr().expect("an address").port());
    let tls = with_tls.then(|| {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
        println!("{}", made.cert.pem().trim());
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        let config = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![made.cert.into()], key);
        TlsAcceptor::from(Arc::new(config.expect("a configuration")))
    });
    stdout().flush().expect("written");
    let answers = Arc::new(Answers::new());
    loop {
        let (socket, _) = listener.accept().await.expect("a connection");
        socket.set_nodelay(true).expect("a socket");
        let (tls, answers) = (tls.clone(), Arc::clone(&answers));
        tokio::spawn(async move {
            match tls {
                Some(tls) => answer(tls.accept(socket).await.expect("a handshake"), &answers).await,
                None => answer(socket, &answers).await,
            }
        });
    }
}

/// Answers the requests of a connection until it is closed.
async fn answer(mut socket: impl AsyncRead + AsyncWrite + Unpin, answers: &Answers) {
    let (mut received, mut response) = (Vec::with_capacity(64 * 1024), Vec::new());
    loop {
        let (operation, body, end) = loop {
            if let Some(found) = request(&received) {
                break found;
            }
            if !matches!(socket.read_buf(&mut received).await, Ok(1..)) {
                return;
            }
        };
        let body = answers.to(&operation, &received[body..end]);
        response.clear();
        write!(
            response,
            "HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.0\r\nx-amzn-requestid: \
             ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789\r\nx-amz-crc32: 1\r\ncontent-length: {}\r\n\r\n",
            body.len()
        )
        .expect("written");
        response.extend_from_slice(&body);
        received.drain(..end);
        if socket.write_all(&response).await.is_err() {
            return;
        }
    }
}

/// Returns the operation of the first request, and where its body begins and ends, once all of it was received.
fn request(received: &[u8]) -> Option<(String, usize, usize)> {
    let head = received.windows(4).position(|end| end == b"\r\n\r\n")?;
    let text = String::from_utf8_lossy(&received[..head]);
    // The SDK sends the names of headers in lower case.
    let header = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let (begin, length) = (head + 4, header("content-length")?.trim().parse::<usize>().ok()?);
    let (end, operation) = (begin + length, header("x-amz-target")?.rsplit('.').next()?);
    (received.len() >= end).then(|| (operation.to_owned(), begin, end))
}
