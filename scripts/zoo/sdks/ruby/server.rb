# frozen_string_literal: true

# The zoo's server with the Ruby SDK: what the other servers have, as far as the SDK can do it on stdio.
require "mcp"

NAME = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }.freeze
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="

def text(words, **more)
  MCP::Tool::Response.new([{ type: "text", text: words.to_s }], **more)
end

def schema(required, **properties)
  { properties: properties, required: required }
end

def note(name)
  [MCP::Resource::TextContents.new(uri: "note://#{name}", mime_type: "text/plain", text: "note #{name}")]
end

capabilities = {
  tools: { listChanged: true },
  prompts: {},
  resources: { subscribe: true },
  logging: {},
  completions: {},
}
server = MCP::Server.new(name: "zoo", version: "1.0.0", capabilities: capabilities)

server.define_tool(name: "echo", input_schema: schema(["text"], text: { type: "string" })) { |text:| text(text) }
server.define_tool(
  name: "add",
  input_schema: schema(["a", "b"], a: { type: "integer" }, b: { type: "integer" }),
  output_schema: schema(["sum"], sum: { type: "integer" }),
) { |a:, b:| text(a + b, structured_content: { sum: a + b }) }
server.define_tool(name: "fail") { text("this tool fails", error: true) }
server.define_tool(name: "big", input_schema: schema(["value"], value: { type: "integer" })) { |value:| text(value) }
server.define_tool(name: "image") do
  MCP::Tool::Response.new([{ type: "image", data: PIXEL, mimeType: "image/png" }])
end
server.define_tool(name: "progress") do |server_context:|
  (1..3).each { |step| server_context.report_progress(step, total: 3) }
  text("done")
end
server.define_tool(name: "log") do |server_context:|
  server_context.notify_log_message(data: "a line", level: "warning")
  text("logged")
end
server.define_tool(name: "ask") do |server_context:|
  answer = server_context.input_response("name")
  next text("Hello, #{answer.dig(:content, :name)}") if answer

  question = { method: "elicitation/create", params: { message: "Your name?", requestedSchema: NAME } }
  MCP::Server::InputRequiredResult.new(input_requests: { name: question })
end
server.define_tool(name: "ask_live", annotations: { read_only_hint: true }) do |server_context:|
  answer = server_context.create_form_elicitation(message: "Your name?", requested_schema: NAME)
  text("Hello, #{answer.dig(:content, :name)}")
end
server.define_tool(name: "sample", annotations: { read_only_hint: true }) do |server_context:|
  messages = [{ role: "user", content: { type: "text", text: "Say a word" } }]
  text(server_context.create_sampling_message(messages: messages, max_tokens: 10).dig(:content, :text))
end
server.define_tool(name: "roots", annotations: { read_only_hint: true }) do |server_context:|
  text(server_context.list_roots[:roots].map { |root| root[:uri] }.join(" "))
end
grown = 0
server.define_tool(name: "grow") do
  grown += 1
  server.define_tool(name: "grown_#{grown}") { text("grown") }
  server.notify_tools_list_changed
  text("grown")
end
server.define_tool(name: "touch") do |server_context:|
  server_context.notify_resources_updated(uri: "note://one")
  text("touched")
end

server.define_resource(uri: "note://one", name: "one", mime_type: "text/plain") { note("one") }
server.define_resource_template(uri_template: "note://{name}", name: "note") { |name:| note(name) }
server.define_prompt(name: "greet", arguments: [MCP::Prompt::Argument.new(name: "name", required: true)]) do |args|
  content = MCP::Content::Text.new("Greet #{args[:name]}")
  MCP::Prompt::Result.new(messages: [MCP::Prompt::Message.new(role: "user", content: content)])
end
server.completion_handler do |params|
  values = ["Ada", "Alan", "Grace"].select { |name| name.start_with?(params.dig(:argument, :value)) }
  { completion: { values: values, hasMore: false } }
end

MCP::Server::Transports::StdioTransport.new(server).open
