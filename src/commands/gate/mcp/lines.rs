//! The client's lines: each is a message, or is answered by the protocol's error and ends nothing.
//!
//! A line that is no JSON, one that is no message and one that is too long are answered, so that no client waits for
//! what never comes. Of one that is too long the `id` is looked for to its end, since some clients say it last.

use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader, Empty};
use tokio::task::JoinHandle;

use rmcp::model::{ClientRequest, ErrorData, GetMeta as _, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::Value;
use serde_json::error::Category;

/// Bytes of a line.
const LONGEST: usize = 16 << 20;
/// Bytes of an id that is looked for.
const LONGEST_ID: usize = 256;

type Message = RxJsonRpcMessage<RoleServer>;

/// Messages of one line each.
pub(super) struct Lines<R, W: AsyncWrite> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// Of a line that is too long.
    huge: Option<IdOf>,
    write: AsyncRwTransport<RoleServer, Empty, W>,
    /// An error on its way to the client.
    answer: Option<JoinHandle<()>>,
    /// The client has said who it is.
    begun: bool,
}

/// Whose a message is.
enum Sorted {
    Ours(Box<Message>),
    /// It wants no answer.
    Nobodys,
    /// A call of somebody who has not said who they are.
    TooEarly(RequestId),
}

/// What they read.
const TOO_EARLY: &str = "this call came before `initialize`; by the protocol a client says first who it is and what it \
                         speaks; send `initialize`, then `notifications/initialized`, then this call again";

/// What a line is.
enum Read {
    Whole,
    TooLong(Option<RequestId>),
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> Lines<R, W> {
    pub(super) fn new(read: R, write: W) -> Self {
        let write = AsyncRwTransport::new(tokio::io::empty(), write);
        Self { read: BufReader::new(read), line: Vec::new(), huge: None, write, answer: None, begun: false }
    }

    /// The next line, in `self.line`. Whatever was read stays if this is dropped under way.
    async fn next(&mut self) -> Option<Read> {
        loop {
            let chunk = self.read.fill_buf().await.ok().filter(|chunk| !chunk.is_empty())?;
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let part = &chunk[..end.unwrap_or(chunk.len())];
            if let Some(id) = &mut self.huge {
                id.look(part);
            } else if self.line.len() + part.len() > LONGEST {
                let mut id = IdOf::default();
                id.look(&self.line);
                id.look(part);
                self.line = Vec::new();
                self.huge = Some(id);
            } else {
                self.line.extend_from_slice(part);
            }
            let taken = part.len() + usize::from(end.is_some());
            self.read.consume(taken);
            if end.is_some() {
                return Some(self.huge.take().map_or(Read::Whole, |id| Read::TooLong(id.found())));
            }
        }
    }

    /// Answers with an error, and goes on.
    fn refuse(&mut self, error: ErrorData, id: Option<RequestId>) {
        let sent = self.write.send(TxJsonRpcMessage::<RoleServer>::error(error, id));
        // In a task of its own: this may be dropped before it is through.
        self.answer = Some(tokio::spawn(async move {
            let _ = sent.await;
        }));
    }

    /// Before the client has said who it is only what says so, and a ping, is for us.
    fn sorted(&mut self, message: Message) -> Sorted {
        let JsonRpcMessage::Request(request) = &message else {
            return if self.begun { Sorted::Ours(Box::new(message)) } else { Sorted::Nobodys };
        };
        let says_who = matches!(request.request, ClientRequest::InitializeRequest(_))
            || request.request.get_meta().protocol_version().is_some();
        self.begun |= says_who;
        if self.begun || matches!(request.request, ClientRequest::PingRequest(_)) {
            Sorted::Ours(Box::new(message))
        } else {
            Sorted::TooEarly(request.id.clone())
        }
    }
}

/// The message of a line; none for one that wants no answer.
fn message(line: &[u8]) -> Result<Option<Message>, (ErrorData, Option<RequestId>)> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    if line.is_empty() {
        return Ok(None);
    }
    let error = match serde_json::from_slice(line) {
        Ok(message) => return Ok(Some(message)),
        Err(error) => error,
    };
    match error.classify() {
        Category::Syntax | Category::Eof | Category::Io => {
            let why = format!("this line is no JSON (column {}); send one message a line", error.column());
            Err((ErrorData::parse_error(why, None), None))
        }
        Category::Data => {
            let value: Value = serde_json::from_slice(line).unwrap_or_default();
            let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
            if id.is_none() && value.get("method").is_some_and(Value::is_string) {
                return Ok(None);
            }
            let why =
                "this is no message of the protocol: `jsonrpc`, `id`, `method` and `params` make a request";
            Err((ErrorData::invalid_request(why, None), id))
        }
    }
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer>
    for Lines<R, W>
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.write.send(item)
    }

    async fn receive(&mut self) -> Option<Message> {
        loop {
            if let Some(answer) = &mut self.answer {
                let _ = answer.await;
                self.answer = None;
            }
            match self.next().await? {
                Read::TooLong(id) => {
                    let why = format!("a message of more than {} MiB is not read", LONGEST >> 20);
                    self.refuse(ErrorData::invalid_request(why, None), id);
                }
                Read::Whole => match message(&std::mem::take(&mut self.line)) {
                    Ok(Some(message)) => match self.sorted(message) {
                        Sorted::Ours(message) => return Some(*message),
                        Sorted::Nobodys => {}
                        Sorted::TooEarly(id) => {
                            self.refuse(ErrorData::invalid_request(TOO_EARLY, None), Some(id));
                        }
                    },
                    Ok(None) => {}
                    Err((error, id)) => self.refuse(error, id),
                },
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.write.close().await
    }
}

/// Looks for the `id` of a message that is too long to be read.
#[derive(Default)]
struct IdOf {
    depth: usize,
    text: Text,
    /// What stands at the top level since the last comma or colon.
    word: Vec<u8>,
    is_id: bool,
    id: Option<RequestId>,
}

/// Whether a byte stands in a text.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Text {
    #[default]
    Outside,
    Inside,
    Escaped,
}

impl IdOf {
    fn look(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    fn step(&mut self, byte: u8) {
        let was = self.text;
        self.text = match (was, byte) {
            (Text::Inside, b'\\') => Text::Escaped,
            (Text::Inside | Text::Escaped, _) if !(was == Text::Inside && byte == b'"') => Text::Inside,
            (Text::Outside, b'"') => Text::Inside,
            (Text::Outside | Text::Inside | Text::Escaped, _) => Text::Outside,
        };
        let closes = was == Text::Inside && self.text == Text::Outside;
        if was != Text::Outside || closes || self.text == Text::Inside {
            return self.keep(byte);
        }
        match byte {
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.value_ends();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => self.value_ends(),
            b':' if self.depth == 1 => self.is_id = std::mem::take(&mut self.word).trim_ascii() == b"\"id\"",
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.word.len() < LONGEST_ID {
            self.word.push(byte);
        }
    }

    fn value_ends(&mut self) {
        if self.depth != 1 {
            return;
        }
        let word = std::mem::take(&mut self.word);
        if std::mem::take(&mut self.is_id) {
            self.id = serde_json::from_slice(&word).ok();
        }
    }

    fn found(self) -> Option<RequestId> {
        self.id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(line: &str) -> Option<String> {
        let mut looks = IdOf::default();
        // As it comes: in parts.
        for part in line.as_bytes().chunks(3) {
            looks.look(part);
        }
        looks.found().map(|id| id.to_string())
    }

    #[test]
    fn the_id_is_found_wherever_it_stands_and_nowhere_else() {
        for (line, wanted) in [
            (r#"{"jsonrpc":"2.0","id":99,"params":{"id":1}}"#, Some("99")),
            (r#"{"method":"x","params":{"id":1,"a":["}",{"id":2}]},"id": "a,b" }"#, Some("a,b")),
            (r#"{"a":"\"id\":5,","id":7}"#, Some("7")),
            (r#"{"a":"\\","id":7}"#, Some("7")),
            (r#"{ "a" : {} , "id" : 7 }"#, Some("7")),
            (r#"{"params":{"id":1}}"#, None),
            (r#"{"id":{"id":3}}"#, None),
            (r#"["id",1]"#, None),
            ("", None),
        ] {
            assert_eq!(id(line).as_deref(), wanted, "{line}");
        }
    }

    #[test]
    fn what_is_no_message_is_told_from_what_is_no_json() {
        let code = |line: &str| message(line.as_bytes()).err().map(|(error, _)| error.code.0);
        assert_eq!(code("{\"jsonrpc\": "), Some(-32700));
        assert_eq!(code("no"), Some(-32700));
        assert_eq!(code("[]"), Some(-32600));
        assert_eq!(code(""), None);
        assert_eq!(code("\r"), None);
        assert_eq!(code("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"), None);
    }
}
