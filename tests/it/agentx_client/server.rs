//! A server that gives the next answer of a list to each request, and the last one ever after.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A server on a free port of this machine; its thread ends with the tests.
pub(crate) struct Server {
    /// `host:port`.
    pub(crate) endpoint: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Answers with a status and a body each.
    pub(crate) fn new(answers: &[(u16, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = listener.local_addr().unwrap().to_string();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let answers: Vec<(u16, String)> = answers.iter().map(|(status, body)| (*status, (*body).to_owned())).collect();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (line, body) = request(&stream);
                let mut seen = seen.lock().unwrap();
                let (status, page) = &answers[seen.len().min(answers.len() - 1)];
                seen.push(format!("{line} {body}").trim().to_owned());
                drop(seen);
                let head =
                    format!("HTTP/1.1 {status} status\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", page.len());
                let _ = (&stream).write_all(format!("{head}{page}").as_bytes());
            }
        });
        Self { endpoint, requests }
    }

    /// Its URL.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.endpoint)
    }

    /// Method, path and body of each request so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn request(stream: &TcpStream) -> (String, String) {
    let mut reader = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    let _ = reader.read_line(&mut first);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    let _ = reader.read_exact(&mut body);
    let words: Vec<&str> = first.split(' ').take(2).collect();
    (words.join(" "), String::from_utf8(body).unwrap())
}
