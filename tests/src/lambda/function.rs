//! A function as a process, and everything it ever wrote.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::outcome::Outcome;
use super::program::program;
use super::runtime_api::RuntimeApi;

/// The time an invocation has unless a test says otherwise.
const TIME: Duration = Duration::from_secs(20);

/// A running function. It is killed with this value.
#[derive(Debug)]
pub struct Function {
    /// The API it polls.
    pub api: RuntimeApi,
    /// When it was started.
    pub started: Instant,
    process: Child,
    written: Arc<Mutex<Vec<u8>>>,
}

impl Function {
    /// Starts the function of that name with these variables and no others.
    pub async fn start(name: &str, variables: &[(&str, &str)]) -> Self {
        Self::start_program(&program(name), name, variables).await
    }

    /// Starts a binary as the function of that name.
    pub async fn start_program(program: &Path, name: &str, variables: &[(&str, &str)]) -> Self {
        let api = RuntimeApi::start().await;
        let started = Instant::now();
        let mut process = Command::new(program)
            .env_clear()
            .env("AWS_LAMBDA_RUNTIME_API", api.address())
            .env("AWS_LAMBDA_FUNCTION_NAME", name)
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256")
            .env("AWS_LAMBDA_FUNCTION_VERSION", "1")
            .env("AWS_LAMBDA_LOG_GROUP_NAME", "/aws/lambda/colloquy")
            .env("AWS_LAMBDA_LOG_STREAM_NAME", "stream")
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the function starts");
        let written = Arc::new(Mutex::new(Vec::new()));
        collect(process.stdout.take().expect("piped"), &written);
        collect(process.stderr.take().expect("piped"), &written);
        Self {
            api,
            started,
            process,
            written,
        }
    }

    /// Invokes it with plenty of time.
    pub async fn invoke(&self, payload: impl ToString) -> Outcome {
        self.invoke_within(payload, TIME).await
    }

    /// Invokes it with a deadline.
    pub async fn invoke_within(&self, payload: impl ToString, time: Duration) -> Outcome {
        self.api.invoke(payload.to_string(), time).await
    }

    /// Its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// The processor time its thread has used so far, as the system counts it.
    #[must_use]
    pub fn processor_time(&self) -> Duration {
        // Nanoseconds on a processor come first. A function has no thread but its first.
        let nanoseconds = self.read("schedstat").split(' ').next().map(str::parse);
        Duration::from_nanos(nanoseconds.expect("a field").expect("a number"))
    }

    /// The memory it has now, in kilobytes.
    #[must_use]
    pub fn resident_kb(&self) -> u64 {
        self.memory_kb("VmRSS:")
    }

    /// The most memory it ever had, in kilobytes.
    #[must_use]
    pub fn peak_kb(&self) -> u64 {
        self.memory_kb("VmHWM:")
    }

    fn memory_kb(&self, field: &str) -> u64 {
        let status = self.read("status");
        let line = status.lines().find_map(|line| line.strip_prefix(field));
        let number = line.and_then(|line| line.split_whitespace().next());
        number.expect("a field").parse().expect("a number")
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(format!("/proc/{}/{file}", self.id())).expect("it runs on Linux")
    }

    /// Whether it still runs.
    pub fn is_running(&mut self) -> bool {
        self.process.try_wait().expect("a child of ours").is_none()
    }

    /// All it wrote so far, to both streams.
    #[must_use]
    pub fn written(&self) -> String {
        let written = self.written.lock().expect("no holder panics");
        String::from_utf8_lossy(&written).into_owned()
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Reads a stream to its end on a thread of its own: a full pipe would stop the function.
fn collect(mut stream: impl Read + Send + 'static, into: &Arc<Mutex<Vec<u8>>>) {
    let into = Arc::clone(into);
    std::thread::spawn(move || {
        let mut piece = [0; 8_192];
        while let Ok(size @ 1..) = stream.read(&mut piece) {
            let piece = piece.get(..size).expect("no more than was asked for");
            into.lock()
                .expect("no holder panics")
                .extend_from_slice(piece);
        }
    });
}
