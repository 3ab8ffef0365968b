// A server with the tool `echo`, written with rmcp: native stdio|http
use std::sync::Arc;

use axum::serve::ListenerExt;
use rmcp::{
    model::*,
    service::{RequestContext, RoleServer},
    transport::streamable_http_server::{
        session::local::LocalSessionManager, StreamableHttpServerConfig, StreamableHttpService,
    },
    ErrorData, ServerHandler, ServiceExt,
};
use serde_json::{from_value, json};

#[derive(Clone)]
struct Echo;

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let text = json!({ "text": { "type": "string" } });
        let schema = json!({ "type": "object", "properties": text, "required": ["text"] });
        let tools = json!([{ "name": "echo", "description": "Says it back", "inputSchema": schema }]);
        Ok(ListToolsResult::with_all_items(from_value(tools).unwrap()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = request.arguments.as_ref().and_then(|all| all.get("text")).and_then(|text| text.as_str());
        let text = text.ok_or_else(|| ErrorData::invalid_params("text is missing", None))?;
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

#[tokio::main]
async fn main() {
    if std::env::args().nth(1).as_deref() == Some("stdio") {
        let running = Echo.serve(rmcp::transport::stdio()).await.expect("the handshake");
        let _ = running.waiting().await;
        return;
    }
    let sessions = Arc::new(LocalSessionManager::default());
    let config = StreamableHttpServerConfig::default().with_json_response(true);
    let service = StreamableHttpService::new(|| Ok(Echo), sessions, config);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("listening {}", listener.local_addr().unwrap().port());
    // Without it an answer in two parts waits 40 ms for the client's acknowledgement.
    let listener = listener.tap_io(|connection| connection.set_nodelay(true).unwrap());
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await.unwrap();
}
