//! HTTP: a request in, its answer out, whole, streamed, broken or refused.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use http_body_util::channel::{Channel, Sender};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::answer::{Answer, Part, Service, fault};
use super::dialect::Dialect;
use super::log::{self, Log};
use super::request::Asked;
use super::script::{Breach, Fault, Refusal, Script};
use super::tools;

/// What is said where the script has nothing to say.
const SILENT: &str = "(the script says nothing more)";

type Reply = Response<BoxBody<Bytes, Broken>>;

/// A body that ends before its end.
#[derive(Debug)]
pub(super) struct Broken;

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("cut by the script")
    }
}

impl std::error::Error for Broken {}

pub(super) struct Server {
    script: Script,
    log: Log,
    requests: AtomicU64,
    /// How often each fault was shown, by rule and turn.
    shown: Mutex<BTreeMap<(usize, usize), u32>>,
}

/// Takes connections for ever; gives the error that ends it.
pub(super) async fn accept(listener: &TcpListener, server: Arc<Server>) -> std::io::Error {
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => return error,
        };
        let server = Arc::clone(&server);
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let server = Arc::clone(&server);
                async move { Ok::<_, Infallible>(server.reply(request).await) }
            });
            // A client that goes away is no event here.
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

impl Server {
    pub(super) fn new(script: Script, log: Log) -> Self {
        Self { script, log, requests: AtomicU64::new(0), shown: Mutex::default() }
    }

    async fn reply(&self, request: Request<Incoming>) -> Reply {
        let (head, body) = request.into_parts();
        let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
        let number = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        self.log.keep(number, &body);
        let holds = self.script.found_in(&String::from_utf8_lossy(&body));
        let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let path = head.uri.path().to_owned();
        let mut entry = json!({
            "n": number,
            "method": head.method.as_str(),
            "path": head.uri.to_string(),
            "headers": log::headers(&head.headers),
        });
        if !holds.is_empty() {
            entry["holds"] = json!(holds);
        }
        let Some(dialect) = Dialect::of(&path).filter(|_| head.method == "POST") else {
            entry["api"] = json!("other");
            self.log.note(&entry);
            return beside(&path, &body);
        };
        let asked = dialect.read(&path, &body);
        let (rule, service) = self.service(&asked);
        entry["api"] = json!(dialect.name());
        entry["rule"] = json!(rule);
        entry["answer"] = json!(words(&service));
        entry["asked"] = log::conversation(&asked);
        self.log.note(&entry);
        serve(dialect, &asked, service).await
    }

    /// The rule's name, and what it wants.
    fn service(&self, asked: &Asked) -> (String, Service) {
        let plain = |text: &str| Service::Answered(Answer::text(text, asked));
        if let Some(schema) = &asked.schema {
            return (String::new(), plain(&tools::instance(schema).to_string()));
        }
        if asked.tools.is_empty() {
            return (String::new(), plain("A short text."));
        }
        let Some((index, rule)) = self.script.rule(asked) else { return (String::new(), plain(SILENT)) };
        let number = asked.turn();
        let Some(turn) = rule.turn(number) else { return (rule.name.clone(), plain(SILENT)) };
        let answer = Answer::of(turn, asked);
        let fault = fault(turn).filter(|fault| self.is_due(fault, (index, number)));
        let service = match fault {
            None => Service::Answered(answer),
            Some(Fault::Word(kind) | Fault::Timed { kind, .. }) => Service::Broken(*kind, answer),
            Some(Fault::Status(refusal)) => Service::Refused(refusal.clone()),
        };
        (rule.name.clone(), service)
    }

    fn is_due(&self, fault: &Fault, place: (usize, usize)) -> bool {
        let Some(times) = fault.times() else { return true };
        let Ok(mut shown) = self.shown.lock() else { return true };
        let shown = shown.entry(place).or_default();
        *shown += 1;
        *shown <= times
    }
}

/// What else agents ask for.
fn beside(path: &str, body: &Value) -> Reply {
    let tokens = body.to_string().len() / 4;
    let path = path.trim_end_matches('/');
    let (status, answer) = match path {
        path if path.ends_with("/count_tokens") => (StatusCode::OK, json!({ "input_tokens": tokens })),
        path if path.ends_with(":countTokens") => (StatusCode::OK, json!({ "totalTokens": tokens })),
        path if path.ends_with("/models") => {
            (StatusCode::OK, json!({ "object": "list", "data": [], "models": [] }))
        }
        "" => (StatusCode::OK, json!({})),
        _ => (StatusCode::NOT_FOUND, json!({ "error": { "message": format!("nothing is at {path}") } })),
    };
    json_reply(status, &answer)
}

async fn serve(dialect: Dialect, asked: &Asked, service: Service) -> Reply {
    let model = asked.model.as_str();
    match service {
        Service::Refused(refusal) => refused(dialect, &refusal),
        Service::Broken(Breach::Hang, _) => std::future::pending().await,
        Service::Broken(Breach::Empty, answer) => {
            whole_or_stream(dialect, asked, &Answer { parts: Vec::new(), ..answer })
        }
        Service::Broken(Breach::Cut, answer) => {
            let answer =
                if answer.parts.is_empty() { Answer::text("This is the beginning", asked) } else { answer };
            let mut events = dialect.stream(&answer, model);
            events.truncate(events.len().div_ceil(2));
            let (mut sender, reply) = event_stream();
            tokio::spawn(async move {
                for event in events {
                    let _ = sender.send_data(Bytes::from(event)).await;
                }
                // What was sent has to leave before the connection breaks.
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                sender.abort(Broken);
            });
            reply
        }
        Service::Broken(Breach::EndlessText, _) => {
            let (events, piece) = dialect.endless(model);
            let (mut sender, reply) = event_stream();
            tokio::spawn(async move {
                let piece = Bytes::from(piece);
                let endless = events.into_iter().map(Bytes::from).chain(std::iter::repeat(piece));
                for event in endless {
                    if sender.send_data(event).await.is_err() {
                        return;
                    }
                    // Endless, but not a flood: it is to be stopped by a deadline.
                    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                }
            });
            reply
        }
        Service::Answered(answer) => whole_or_stream(dialect, asked, &answer),
    }
}

fn whole_or_stream(dialect: Dialect, asked: &Asked, answer: &Answer) -> Reply {
    if !asked.streams {
        return json_reply(StatusCode::OK, &dialect.whole(answer, &asked.model));
    }
    let events = dialect.stream(answer, &asked.model).concat();
    let body = Full::new(Bytes::from(events)).map_err(|never| match never {}).boxed();
    let mut reply = Response::new(body);
    mark(&mut reply, "text/event-stream");
    reply
}

fn refused(dialect: Dialect, refusal: &Refusal) -> Reply {
    let said = format!("The script answers with status {}.", refusal.status);
    let message = refusal.message.as_deref().unwrap_or(&said);
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut reply = json_reply(status, &dialect.error(refusal.status, refusal.code.as_deref(), message));
    let wait = refusal.retry_after.map(|seconds| ("retry-after".to_owned(), seconds.to_string()));
    for (name, value) in refusal.headers.clone().into_iter().chain(wait) {
        let name = hyper::header::HeaderName::try_from(name);
        if let (Ok(name), Ok(value)) = (name, value.try_into()) {
            reply.headers_mut().insert(name, value);
        }
    }
    reply
}

fn event_stream() -> (Sender<Bytes, Broken>, Reply) {
    let (sender, body) = Channel::new(1);
    let mut reply = Response::new(body.boxed());
    mark(&mut reply, "text/event-stream");
    (sender, reply)
}

fn json_reply(status: StatusCode, answer: &Value) -> Reply {
    let body = Full::new(Bytes::from(answer.to_string())).map_err(|never| match never {}).boxed();
    let mut reply = Response::new(body);
    *reply.status_mut() = status;
    mark(&mut reply, "application/json");
    reply
}

fn mark(reply: &mut Reply, kind: &'static str) {
    reply.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(kind));
}

/// For the log.
fn words(service: &Service) -> String {
    match service {
        Service::Refused(refusal) => format!("status {}", refusal.status),
        Service::Broken(Breach::Hang, _) => "hang".to_owned(),
        Service::Broken(Breach::Cut, _) => "cut".to_owned(),
        Service::Broken(Breach::Empty, _) => "empty".to_owned(),
        Service::Broken(Breach::EndlessText, _) => "endless-text".to_owned(),
        Service::Answered(answer) => {
            let part = |part: &Part| match part {
                Part::Text(_) => "text".to_owned(),
                Part::Call(call) => format!("call {}", call.name),
            };
            answer.parts.iter().map(part).collect::<Vec<_>>().join(", ")
        }
    }
}

#[cfg(test)]
mod tests;
