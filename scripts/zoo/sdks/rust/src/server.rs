use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use rmcp::{
    model::*,
    service::{RequestContext, RoleServer, SubscriptionContext, SubscriptionSink},
    ErrorData, ServerHandler, ServiceExt,
};
use serde_json::{from_value, json, Value};
use tokio::sync::Mutex;

const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

#[derive(Default)]
struct Zoo {
    cancelled: AtomicUsize,
    grown: AtomicUsize,
    listeners: Mutex<Vec<SubscriptionSink>>,
}

fn text(words: impl Into<String>) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(words.into())]).into()
}

fn failed(error: impl ToString) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn object(properties: Value) -> Value {
    let names: Vec<_> = properties.as_object().unwrap().keys().cloned().collect();
    json!({ "type": "object", "properties": properties, "required": names })
}

fn name_form() -> ElicitRequestParams {
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: "Your name?".into(),
        requested_schema: from_value(object(json!({ "name": { "type": "string" } }))).unwrap(),
    }
}

/// The answer to a question, or the result that asks it. Older clients are asked live.
async fn ask(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
    question: InputRequest,
) -> Result<Result<Value, CallToolResponse>, ErrorData> {
    if let Some(answer) = request.input_responses.as_ref().and_then(|all| all.get("it")) {
        return Ok(Ok(json!(answer)));
    }
    if is_modern(context) {
        let mut requests = InputRequests::new();
        requests.insert("it".to_string(), question);
        return Ok(Err(InputRequiredResult::new(Some(requests), None).into()));
    }
    let peer = &context.peer;
    let answer = match question {
        InputRequest::Elicitation(it) => json!(peer.create_elicitation(it.params).await.map_err(failed)?),
        InputRequest::CreateMessage(it) => json!(peer.create_message(it.params).await.map_err(failed)?),
        _ => json!(peer.list_roots().await.map_err(failed)?),
    };
    Ok(Ok(answer))
}

fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version.as_str() >= "2026")
}

impl Zoo {
    fn tools(&self) -> Vec<Tool> {
        let plain = [
            "fail", "progress", "log", "ask", "ask_live", "sample", "roots", "image", "slow", "cancelled", "grow", "touch",
        ];
        let grown = (1..=self.grown.load(Ordering::SeqCst)).map(|number| format!("grown_{number}"));
        let mut tools: Vec<Value> = plain
            .into_iter()
            .map(String::from)
            .chain(grown)
            .map(|name| {
                let annotations = json!({ "readOnlyHint": name == "ask_live" });
                json!({ "name": name, "inputSchema": { "type": "object" }, "annotations": annotations })
            })
            .collect();
        let integer = json!({ "type": "integer" });
        tools.push(json!({ "name": "echo", "inputSchema": object(json!({ "text": { "type": "string" } })) }));
        tools.push(json!({ "name": "big", "inputSchema": object(json!({ "value": integer })) }));
        tools.push(json!({
            "name": "add",
            "inputSchema": object(json!({ "a": integer, "b": integer })),
            "outputSchema": object(json!({ "sum": integer })),
        }));
        from_value(json!(tools)).unwrap()
    }

    async fn tell(&self, context: &RequestContext<RoleServer>, uri: Option<&str>) -> Result<(), ErrorData> {
        for listener in self.listeners.lock().await.iter() {
            // Each listener takes only what it asked for.
            let _ = match uri {
                None => listener.notify_tool_list_changed().await,
                Some(uri) => listener.notify_resource_updated(uri).await,
            };
        }
        if is_modern(context) {
            return Ok(());
        }
        let peer = &context.peer;
        match uri {
            None => peer.notify_tool_list_changed().await.map_err(failed),
            Some(uri) => {
                let params = from_value(json!({ "uri": uri })).map_err(failed)?;
                peer.notify_resource_updated(params).await.map_err(failed)
            }
        }
    }

    async fn progress(&self, context: &RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        if let Some(token) = context.meta.get_progress_token() {
            for step in [1, 2, 3] {
                let params = json!({ "progressToken": token, "progress": step as f64, "total": 3.0 });
                let params = from_value(params).map_err(failed)?;
                context.peer.notify_progress(params).await.map_err(failed)?;
            }
        }
        Ok(text("done"))
    }

    async fn question(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let question = match request.name.as_ref() {
            "ask" => InputRequest::Elicitation(ElicitRequest::new(name_form())),
            "sample" => InputRequest::CreateMessage(CreateMessageRequest::new(CreateMessageRequestParams::new(
                vec![SamplingMessage::user_text("Say a word")],
                10,
            ))),
            _ => InputRequest::ListRoots(ListRootsRequest::default()),
        };
        let answer = match ask(request, context, question).await? {
            Err(round) => return Ok(round),
            Ok(answer) => answer,
        };
        Ok(text(match request.name.as_ref() {
            "ask" => format!("Hello, {}", answer["content"]["name"].as_str().unwrap_or("?")),
            "sample" => answer["content"].to_string(),
            _ => answer["roots"].to_string(),
        }))
    }
}

impl ServerHandler for Zoo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools()
                .enable_tool_list_changed()
                .enable_resources()
                .enable_resources_subscribe()
                .enable_prompts()
                .enable_completions()
                .enable_logging()
                .build(),
        )
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.listeners.lock().await.push(context.sink().clone());
        context.cancelled().await;
        self.listeners.lock().await.retain(|listener| listener.id() != context.sink().id());
        Ok(())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let args = json!(request.arguments);
        match request.name.as_ref() {
            "echo" => Ok(text(args["text"].as_str().unwrap_or("?"))),
            "add" => {
                let sum = args["a"].as_i64().unwrap_or(0) + args["b"].as_i64().unwrap_or(0);
                Ok(CallToolResult::structured(json!({ "sum": sum })).into())
            }
            "fail" => Ok(CallToolResult::error(vec![ContentBlock::text("this tool fails")]).into()),
            "big" => Ok(text(args["value"].to_string())),
            "image" => Ok(CallToolResult::success(vec![ContentBlock::image(PIXEL, "image/png")]).into()),
            "progress" => self.progress(&context).await,
            "log" => {
                let params = from_value(json!({ "level": "warning", "data": "a line" })).map_err(failed)?;
                context.peer.notify_logging_message(params).await.map_err(failed)?;
                Ok(text("logged"))
            }
            "ask" | "sample" | "roots" => self.question(&request, &context).await,
            "ask_live" => {
                let answer = context.peer.create_elicitation(name_form()).await.map_err(failed)?;
                Ok(text(format!("Hello, {}", json!(answer)["content"]["name"].as_str().unwrap_or("?"))))
            }
            "slow" => tokio::select! {
                _ = context.ct.cancelled() => {
                    self.cancelled.fetch_add(1, Ordering::SeqCst);
                    Ok(text("cancelled"))
                }
                _ = tokio::time::sleep(Duration::from_secs(20)) => Ok(text("slept")),
            },
            "cancelled" => Ok(text(self.cancelled.load(Ordering::SeqCst).to_string())),
            "grow" => {
                self.grown.fetch_add(1, Ordering::SeqCst);
                self.tell(&context, None).await?;
                Ok(text("grown"))
            }
            "touch" => {
                self.tell(&context, Some("note://one")).await?;
                Ok(text("touched"))
            }
            name => Err(ErrorData::invalid_params(format!("Unknown tool: {name}"), None)),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        from_value(json!({ "resources": [{ "uri": "note://one", "name": "one" }] })).map_err(failed)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = json!([{ "uriTemplate": "note://{name}", "name": "note" }]);
        from_value(json!({ "resourceTemplates": templates })).map_err(failed)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let words = format!("note {}", request.uri.trim_start_matches("note://"));
        Ok(ReadResourceResult::new(vec![ResourceContents::text(words, request.uri)]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let arguments = json!([{ "name": "name", "required": true }]);
        from_value(json!({ "prompts": [{ "name": "greet", "arguments": arguments }] })).map_err(failed)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let name = json!(request.arguments)["name"].as_str().unwrap_or("?").to_string();
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, format!("Greet {name}"))]).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let typed = request.argument.value.as_str();
        let names: Vec<_> = ["Ada", "Alan", "Grace"].into_iter().filter(|name| name.starts_with(typed)).collect();
        from_value(json!({ "completion": { "values": names } })).map_err(failed)
    }
}

pub async fn serve() {
    let running = Zoo::default().serve(rmcp::transport::stdio()).await.expect("the handshake");
    let _ = running.waiting().await;
}
