use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use rmcp::{
    model::*,
    service::{
        ClientLifecycleMode, NotificationContext, PeerRequestOptions, RequestContext, RoleClient, RunningService,
        Subscription,
    },
    transport::{ConfigureCommandExt, StreamableHttpClientTransport, TokioChildProcess},
    ClientHandler, ClientServiceExt, ErrorData,
};
use serde_json::{from_value, json, Value};
use tokio::{process::Command, time};

const PATIENCE: Duration = Duration::from_secs(15);
type Found = Result<(), String>;

const FEATURES: [&str; 19] = [
    "list", "echo", "structured", "error", "progress", "log", "elicit", "elicit-live", "sample", "roots", "read",
    "template", "updated", "prompt", "complete", "changed", "cancel", "big", "image",
];

/// Answers what servers ask, and keeps what they tell.
#[derive(Clone, Default)]
struct Answers {
    heard: Arc<Mutex<Vec<String>>>,
}

impl Answers {
    fn hear(&self, what: String) {
        self.heard.lock().unwrap().push(what);
    }
}

impl ClientHandler for Answers {
    fn get_info(&self) -> ClientConfig {
        let mut config = ClientConfig::default();
        config.capabilities = from_value(json!({ "elicitation": { "form": {} }, "sampling": {}, "roots": {} })).unwrap();
        config
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({ "name": "Ada" })))
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        Ok(CreateMessageResult::new(SamplingMessage::assistant_text("zebra"), "zoo".into())
            .with_stop_reason(CreateMessageResult::STOP_REASON_END_TURN))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(vec![Root::new("file:///zoo")]))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.hear(format!("progress {}", params.progress));
    }

    async fn on_logging_message(&self, params: LoggingMessageNotificationParam, _: NotificationContext<RoleClient>) {
        self.hear(format!("log {}", params.data));
    }

    async fn on_resource_updated(&self, params: ResourceUpdatedNotificationParam, _: NotificationContext<RoleClient>) {
        self.hear(format!("updated {}", params.uri));
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.hear("changed".into());
    }
}

struct Visit {
    peer: RunningService<RoleClient, Answers>,
    answers: Answers,
    is_modern: bool,
}

fn must(seen: impl Into<Value>, wanted: impl Into<Value>) -> Found {
    let (seen, wanted) = (seen.into(), wanted.into());
    if seen == wanted {
        Ok(())
    } else {
        Err(format!("{seen} instead of {wanted}"))
    }
}

fn told(error: impl ToString) -> String {
    error.to_string()
}

impl Visit {
    fn params(&self, name: &str, args: Value) -> CallToolRequestParams {
        let mut params = CallToolRequestParams::new(name.to_string());
        params.arguments = args.as_object().cloned();
        let mut meta = RequestMetaObject::default();
        if self.is_modern {
            meta.insert("io.modelcontextprotocol/logLevel".into(), json!("debug"));
        }
        params.meta = Some(meta);
        params
    }

    async fn call(&self, name: &str, args: Value) -> Result<Value, String> {
        let result = self.peer.call_tool(self.params(name, args)).await.map_err(told)?;
        Ok(json!(result))
    }

    async fn says(&self, name: &str, args: Value) -> Result<String, String> {
        let result = self.call(name, args).await?;
        Ok(result["content"][0]["text"].as_str().unwrap_or("no text").to_string())
    }

    async fn wait_for(&self, what: &str) -> Found {
        for _ in 0..100 {
            if self.answers.heard.lock().unwrap().iter().any(|one| one.contains(what)) {
                return Ok(());
            }
            time::sleep(Duration::from_millis(50)).await;
        }
        Err(format!("no {what} came"))
    }

    async fn has(&self, prefix: &str) -> Found {
        let tools = self.peer.list_all_tools().await.map_err(told)?;
        must(tools.iter().any(|tool| tool.name.starts_with(prefix)), true)
    }

    async fn one(&self) -> Result<String, String> {
        let found = self.peer.list_all_resources().await.map_err(told)?;
        let one = found.iter().find(|resource| resource.name == "one").ok_or("no resource called one")?;
        Ok(one.uri.clone())
    }

    async fn reads(&self, uri: String, wanted: &str) -> Found {
        let found = self.peer.read_resource(ReadResourceRequestParams::new(uri)).await.map_err(told)?;
        must(json!(found)["contents"][0]["text"].clone(), wanted)
    }

    /// Waits for news on a stream of its own, or through the handler for older servers.
    async fn hears(&self, filter: Value, tool: &str, what: &str) -> Found {
        if !self.is_modern {
            self.call(tool, json!({})).await?;
            return self.wait_for(what).await;
        }
        let filter: SubscriptionFilter = from_value(filter).map_err(told)?;
        let mut subscription: Subscription = self.peer.listen(filter).await.map_err(told)?;
        self.call(tool, json!({})).await?;
        let news = subscription.next().await.map_err(told)?;
        let found = news.map_or(Err("the stream ended".into()), |_| Ok(()));
        let _ = subscription.cancel().await;
        found
    }

    async fn cancels(&self) -> Found {
        let before = self.says("cancelled", json!({})).await?;
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(self.params("slow", json!({}))));
        let options = PeerRequestOptions::no_options();
        let handle = self.peer.send_cancellable_request(request, options).await.map_err(told)?;
        time::sleep(Duration::from_millis(700)).await;
        handle.cancel(None).await.map_err(told)?;
        for _ in 0..30 {
            if self.says("cancelled", json!({})).await? != before {
                return Ok(());
            }
            time::sleep(Duration::from_millis(100)).await;
        }
        Err("the tool was not told".into())
    }

    async fn attempt(&self, feature: &str) -> Found {
        match feature {
            "list" => self.has("echo").await,
            "echo" => must(self.says("echo", json!({ "text": "grüße 🦓" })).await?, "grüße 🦓"),
            "structured" => must(self.call("add", json!({ "a": 2, "b": 3 })).await?["structuredContent"]["sum"].clone(), 5),
            "error" => must(self.call("fail", json!({})).await?["isError"].clone(), true),
            "progress" => {
                self.call("progress", json!({})).await?;
                self.wait_for("progress 3").await
            }
            "log" => {
                if !self.is_modern {
                    let level = SetLevelRequestParams::new(LoggingLevel::Debug);
                    self.peer.set_level(level).await.map_err(told)?;
                }
                self.call("log", json!({})).await?;
                self.wait_for("a line").await
            }
            "elicit" => must(self.says("ask", json!({})).await?, "Hello, Ada"),
            "elicit-live" => must(self.says("ask_live", json!({})).await?, "Hello, Ada"),
            "sample" => must(self.says("sample", json!({})).await?.contains("zebra"), true),
            "roots" => must(self.says("roots", json!({})).await?.contains("file:///zoo"), true),
            "read" => self.reads(self.one().await?, "note one").await,
            "template" => {
                let found = self.peer.list_all_resource_templates().await.map_err(told)?;
                self.reads(found[0].uri_template.replace("{name}", "two"), "note two").await
            }
            "updated" => {
                let uri = self.one().await?;
                if !self.is_modern {
                    let params = from_value(json!({ "uri": uri })).map_err(told)?;
                    self.peer.subscribe(params).await.map_err(told)?;
                }
                self.hears(json!({ "resourceSubscriptions": [uri] }), "touch", "updated").await
            }
            "prompt" => {
                let params = from_value(json!({ "name": "greet", "arguments": { "name": "Ada" } })).map_err(told)?;
                let found = self.peer.get_prompt(params).await.map_err(told)?;
                must(json!(found)["messages"][0]["content"]["text"].clone(), "Greet Ada")
            }
            "complete" => {
                let found = self.peer.complete_prompt_argument("greet", "name", "A", None).await.map_err(told)?;
                must(json!(found.values), json!(["Ada", "Alan"]))
            }
            "changed" => {
                self.hears(json!({ "toolsListChanged": true }), "grow", "changed").await?;
                self.has("grown").await
            }
            "cancel" => self.cancels().await,
            "big" => {
                let said = self.says("big", json!({ "value": 9_007_199_254_740_993_i64 })).await?;
                must(said.contains("9007199254740993"), true)
            }
            _ => must(self.call("image", json!({})).await?["content"][0]["mimeType"].clone(), "image/png"),
        }
    }
}

async fn connect(place: Vec<String>, answers: Answers) -> RunningService<RoleClient, Answers> {
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    };
    if place.len() == 1 {
        let transport = StreamableHttpClientTransport::from_uri(place[0].clone());
        return answers.serve_with_lifecycle(transport, lifecycle).await.expect("a connection");
    }
    let command = Command::new(&place[0]).configure(|command| {
        command.args(&place[1..]);
    });
    let transport = TokioChildProcess::new(command).expect("a process");
    answers.serve_with_lifecycle(transport, lifecycle).await.expect("a connection")
}

pub async fn visit(place: Vec<String>) {
    let answers = Answers::default();
    let peer = connect(place, answers.clone()).await;
    let revision = peer.peer_info().map(|info| info.protocol_version.to_string()).unwrap_or_default();
    println!("{}", json!({ "revision": revision }));
    let visit = Visit { is_modern: revision.as_str() >= "2026", peer, answers };
    for feature in FEATURES {
        let found = match time::timeout(PATIENCE, visit.attempt(feature)).await {
            Ok(Ok(())) => "yes".to_string(),
            Ok(Err(problem)) => problem,
            Err(_) => "nothing came in time".to_string(),
        };
        println!("{}", json!({ "feature": feature, "found": found }));
    }
}
