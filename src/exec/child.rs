//! A child process that cannot hang us: it ends in time, or it is ended.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Why a program gave nothing.
#[derive(Debug)]
pub enum Failure {
    /// It is not there, or could not be started.
    Start(io::Error),
    /// It did not end in time.
    Late(Duration),
    /// It could not be talked to.
    Pipe(io::Error),
}

/// What a program that ended leaves.
#[derive(Debug)]
pub struct Finished {
    /// Its exit code, unless a signal ended it.
    pub code: Option<i32>,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it complained about.
    pub stderr: String,
}

impl Finished {
    /// Whether it did what it was asked for.
    pub fn is_success(&self) -> bool {
        self.code == Some(0)
    }
}

/// Runs a program to its end, without input.
///
/// # Errors
/// [`Failure`] when it cannot be started or does not end within the limit. A bad exit code is no error.
pub fn run(command: &mut Command, limit: Duration) -> Result<Finished, Failure> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = spawn(command)?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let watched = Watched::new(child, limit);
    // Both pipes are drained at once: a program that fills one of them waits.
    let complaints = thread::spawn(move || {
        let mut text = Vec::new();
        stderr.map(|mut pipe| pipe.read_to_end(&mut text)).transpose().map(|_| text)
    });
    let mut out = Vec::new();
    let read = stdout.map(|mut pipe| pipe.read_to_end(&mut out)).transpose();
    let complaints = complaints.join().unwrap_or_else(|_| Ok(Vec::new()));
    let code = watched.finish()?;
    read.map_err(Failure::Pipe)?;
    let stderr = String::from_utf8_lossy(&complaints.map_err(Failure::Pipe)?).into_owned();
    Ok(Finished { code, stdout: out, stderr })
}

fn spawn(command: &mut Command) -> Result<Child, Failure> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command.spawn().map_err(Failure::Start)
}

/// A program that answers questions: a line in, an answer out, for as long as it lives.
#[derive(Debug)]
pub struct Talk {
    watched: Watched,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Talk {
    /// Starts it. What it complains about is not read.
    ///
    /// # Errors
    /// [`Failure::Start`] when it cannot be started.
    pub fn start(command: &mut Command, limit: Duration) -> Result<Self, Failure> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = spawn(command)?;
        let no_pipe = || Failure::Pipe(io::ErrorKind::BrokenPipe.into());
        let questions = child.stdin.take().ok_or_else(no_pipe)?;
        let answers = child.stdout.take().ok_or_else(no_pipe)?;
        Ok(Self {
            watched: Watched::new(child, limit),
            questions: Some(questions),
            answers: BufReader::with_capacity(1 << 16, answers),
        })
    }

    /// Sends a line and reads the first line of the answer, without its line break.
    ///
    /// # Errors
    /// [`Failure`] when the program is gone.
    pub fn ask(&mut self, question: &str) -> Result<String, Failure> {
        let mut answer = Vec::new();
        let sent = self.questions.as_mut().map(|pipe| pipe.write_all(format!("{question}\n").as_bytes()));
        let asked = sent.unwrap_or(Ok(())).and_then(|()| self.answers.read_until(b'\n', &mut answer));
        match asked {
            Ok(_) if answer.pop() == Some(b'\n') => Ok(String::from_utf8_lossy(&answer).into_owned()),
            Ok(_) => Err(self.gone(io::ErrorKind::UnexpectedEof.into())),
            Err(error) => Err(self.gone(error)),
        }
    }

    /// Reads so many bytes of the answer.
    ///
    /// # Errors
    /// [`Failure`] when the program is gone.
    pub fn bytes(&mut self, count: usize) -> Result<Vec<u8>, Failure> {
        let mut bytes = vec![0; count];
        match self.answers.read_exact(&mut bytes) {
            Ok(()) => Ok(bytes),
            Err(error) => Err(self.gone(error)),
        }
    }

    fn gone(&self, error: io::Error) -> Failure {
        match self.watched.is_late() {
            true => Failure::Late(self.watched.limit),
            false => Failure::Pipe(error),
        }
    }
}

/// A child with somebody beside it who ends it when its time is over.
#[derive(Debug)]
struct Watched {
    child: Arc<Mutex<Child>>,
    late: Arc<AtomicBool>,
    limit: Duration,
    /// Dropped when the child is no longer to be watched.
    done: Option<Sender<()>>,
}

impl Watched {
    fn new(child: Child, limit: Duration) -> Self {
        let (child, late) = (Arc::new(Mutex::new(child)), Arc::new(AtomicBool::new(false)));
        let (done, waiting) = channel::<()>();
        let (watched, is_late) = (Arc::clone(&child), Arc::clone(&late));
        thread::spawn(move || {
            if waiting.recv_timeout(limit) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                is_late.store(true, Ordering::SeqCst);
                end_group(&watched);
                end(&watched);
            }
        });
        Self { child, late, limit, done: Some(done) }
    }

    fn is_late(&self) -> bool {
        self.late.load(Ordering::SeqCst)
    }

    /// Waits for the end; the exit code, unless a signal was the end.
    fn finish(&self) -> Result<Option<i32>, Failure> {
        loop {
            // Polled, so that the one who watches can get hold of the child, too.
            let state = self.child.lock().map_or(Ok(None), |mut child| child.try_wait());
            match state.map_err(Failure::Pipe)? {
                Some(_) if self.is_late() => return Err(Failure::Late(self.limit)),
                Some(status) => return Ok(status.code()),
                None => thread::sleep(Duration::from_micros(200)),
            }
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        drop(self.done.take());
        end(&self.child);
    }
}

/// Ends what a child has started: its own children hold our pipes open, and would keep us waiting.
fn end_group(child: &Mutex<Child>) {
    let group = child.lock().map(|child| format!("-{}", child.id()));
    if let (true, Ok(group)) = (cfg!(unix), group) {
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stdin(Stdio::null()).stderr(Stdio::null()).status();
    }
}

/// Ends a child, if it still lives, and forgets it.
fn end(child: &Mutex<Child>) {
    if let Ok(mut child) = child.lock() {
        let _ = child.kill();
        let _ = child.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Instant;

    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_a_program_prints_is_read_from_both_pipes() {
        let script = "i=0; while [ $i -lt 20000 ]; do echo out; echo err >&2; i=$((i+1)); done; exit 3";
        let finished = run(&mut shell(script), LONG).unwrap();
        assert_eq!((finished.code, finished.is_success()), (Some(3), false));
        assert_eq!((finished.stdout.len(), finished.stderr.len()), (80_000, 80_000));
    }

    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let start = Instant::now();
        let failure = run(&mut shell("exec sleep 30"), Duration::from_millis(50)).unwrap_err();
        assert!(matches!(failure, Failure::Late(_)), "{failure:?}");
        let failure = run(&mut shell("sleep 30; echo"), Duration::from_millis(50)).unwrap_err();
        assert!(matches!(failure, Failure::Late(_)), "{failure:?}");
        let mut talk = Talk::start(&mut shell("exec sleep 30"), Duration::from_millis(50)).unwrap();
        assert!(matches!(talk.ask("x").unwrap_err(), Failure::Late(_)));
        drop(Talk::start(&mut shell("exec sleep 30"), LONG).unwrap());
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_program_that_is_not_there_or_goes_away_is_no_panic() {
        let failure = run(&mut Command::new("no-such-program-of-srtx"), LONG).unwrap_err();
        assert!(matches!(failure, Failure::Start(_)), "{failure:?}");
        let mut talk = Talk::start(&mut shell("exit 0"), LONG).unwrap();
        assert!(matches!(talk.ask("x").unwrap_err(), Failure::Pipe(_)));
        let mut talk = Talk::start(&mut shell("read line; echo \"$line 5\"; printf 12345"), LONG).unwrap();
        assert_eq!(talk.ask("a b").unwrap(), "a b 5");
        assert_eq!(talk.bytes(5).unwrap(), b"12345");
        assert!(talk.bytes(1).is_err());
    }
}
