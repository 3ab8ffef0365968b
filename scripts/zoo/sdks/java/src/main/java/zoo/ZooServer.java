package zoo;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncCompletionSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncPromptSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceTemplateSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The zoo's server, written with the Java SDK. */
final class ZooServer {
  private static final String PIXEL =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
  private static final McpJsonMapper JSON = McpJsonDefaults.getMapper();
  private static final Map<String, Object> NOTHING = Map.of("type", "object", "properties", Map.of());
  private static final Map<String, Object> INTEGER = Map.of("type", "integer");
  private static final Map<String, Object> STRING = Map.of("type", "string");
  private final AtomicInteger grown = new AtomicInteger();
  private McpSyncServer server;

  static <T> T of(Class<T> type, Map<String, Object> members) {
    return JSON.convertValue(members, type);
  }

  static Map<String, Object> object(Map<String, Object> properties) {
    return Map.of("type", "object", "properties", properties, "required", List.copyOf(properties.keySet()));
  }

  private static McpSchema.CallToolResult content(Map<String, Object> block) {
    return of(McpSchema.CallToolResult.class, Map.of("content", List.of(block)));
  }

  private static McpSchema.CallToolResult text(Object words) {
    return content(Map.of("type", "text", "text", String.valueOf(words)));
  }

  private static SyncToolSpecification tool(
      String name,
      Map<String, Object> input,
      BiFunction<McpSyncServerExchange, McpSchema.CallToolRequest, McpSchema.CallToolResult> run) {
    return new SyncToolSpecification(of(McpSchema.Tool.class, Map.of("name", name, "inputSchema", input)), run);
  }

  private static SyncToolSpecification add() {
    Map<String, Object> input = object(Map.of("a", INTEGER, "b", INTEGER));
    Map<String, Object> output = object(Map.of("sum", INTEGER));
    McpSchema.Tool tool =
        of(McpSchema.Tool.class, Map.of("name", "add", "inputSchema", input, "outputSchema", output));
    return new SyncToolSpecification(tool, (exchange, request) -> {
      Map<String, Object> args = request.arguments();
      int sum = ((Number) args.get("a")).intValue() + ((Number) args.get("b")).intValue();
      Map<String, Object> words = Map.of("type", "text", "text", "{\"sum\":" + sum + "}");
      return of(
          McpSchema.CallToolResult.class,
          Map.of("content", List.of(words), "structuredContent", Map.of("sum", sum)));
    });
  }

  private List<SyncToolSpecification> tools() {
    return List.of(
        add(),
        tool("echo", object(Map.of("text", STRING)), (exchange, request) -> text(request.arguments().get("text"))),
        tool("big", object(Map.of("value", INTEGER)), (exchange, request) -> text(request.arguments().get("value"))),
        tool("image", NOTHING, (exchange, request) ->
            content(Map.of("type", "image", "data", PIXEL, "mimeType", "image/png"))),
        tool("fail", NOTHING, (exchange, request) -> of(
            McpSchema.CallToolResult.class,
            Map.of("content", List.of(Map.of("type", "text", "text", "this tool fails")), "isError", true))),
        tool("progress", NOTHING, this::progress),
        tool("log", NOTHING, (exchange, request) -> {
          exchange.loggingNotification(of(
              McpSchema.LoggingMessageNotification.class, Map.of("level", "warning", "data", "a line")));
          return text("logged");
        }),
        tool("ask_live", NOTHING, (exchange, request) -> {
          Map<String, Object> form = object(Map.of("name", STRING));
          McpSchema.ElicitResult answer = exchange.createElicitation(
              of(McpSchema.ElicitFormRequest.class, Map.of("message", "Your name?", "requestedSchema", form)));
          return text("Hello, " + answer.content().get("name"));
        }),
        tool("sample", NOTHING, (exchange, request) -> {
          Map<String, Object> message =
              Map.of("role", "user", "content", Map.of("type", "text", "text", "Say a word"));
          return text(exchange.createMessage(of(
              McpSchema.CreateMessageRequest.class, Map.of("messages", List.of(message), "maxTokens", 10))));
        }),
        tool("roots", NOTHING, (exchange, request) ->
            text(exchange.listRoots().roots().stream().map(McpSchema.Root::uri).collect(Collectors.joining(" ")))),
        tool("grow", NOTHING, (exchange, request) -> {
          server.addTool(tool("grown_" + grown.incrementAndGet(), NOTHING, (one, two) -> text("grown")));
          return text("grown");
        }),
        tool("touch", NOTHING, (exchange, request) -> {
          server.notifyResourcesUpdated(new McpSchema.ResourcesUpdatedNotification("note://one"));
          return text("touched");
        }));
  }

  private McpSchema.CallToolResult progress(McpSyncServerExchange exchange, McpSchema.CallToolRequest request) {
    for (double step = 1; step <= 3; step++) {
      Object token = request.progressToken();
      exchange.progressNotification(of(
          McpSchema.ProgressNotification.class, Map.of("progressToken", token, "progress", step, "total", 3.0)));
    }
    return text("done");
  }

  private static McpSchema.ReadResourceResult read(
      McpSyncServerExchange exchange, McpSchema.ReadResourceRequest request) {
    String words = "note " + request.uri().substring("note://".length());
    Map<String, Object> contents = Map.of("uri", request.uri(), "mimeType", "text/plain", "text", words);
    return of(McpSchema.ReadResourceResult.class, Map.of("contents", List.of(contents)));
  }

  private static McpSchema.GetPromptResult greet(
      McpSyncServerExchange exchange, McpSchema.GetPromptRequest request) {
    Map<String, Object> words = Map.of("type", "text", "text", "Greet " + request.arguments().get("name"));
    return of(
        McpSchema.GetPromptResult.class, Map.of("messages", List.of(Map.of("role", "user", "content", words))));
  }

  private static McpSchema.CompleteResult complete(
      McpSyncServerExchange exchange, McpSchema.CompleteRequest request) {
    String typed = request.argument().value();
    List<String> names = Stream.of("Ada", "Alan", "Grace").filter(name -> name.startsWith(typed)).toList();
    return of(McpSchema.CompleteResult.class, Map.of("completion", Map.of("values", names)));
  }

  void serve() {
    Map<String, Object> resource = Map.of("uri", "note://one", "name", "one");
    Map<String, Object> template = Map.of("uriTemplate", "note://{name}", "name", "note");
    Map<String, Object> prompt =
        Map.of("name", "greet", "arguments", List.of(Map.of("name", "name", "required", true)));
    server = McpServer.sync(new StdioServerTransportProvider(JSON))
        .serverInfo("zoo", "1.0.0")
        .capabilities(of(McpSchema.ServerCapabilities.class, Map.of(
            "tools", Map.of("listChanged", true),
            "resources", Map.of("subscribe", true, "listChanged", true),
            "prompts", Map.of("listChanged", true),
            "completions", Map.of(),
            "logging", Map.of())))
        .tools(tools())
        .resources(new SyncResourceSpecification(of(McpSchema.Resource.class, resource), ZooServer::read))
        .resourceTemplates(new SyncResourceTemplateSpecification(
            of(McpSchema.ResourceTemplate.class, template), ZooServer::read))
        .prompts(new SyncPromptSpecification(of(McpSchema.Prompt.class, prompt), ZooServer::greet))
        .completions(new SyncCompletionSpecification(
            new McpSchema.PromptReference("greet"), ZooServer::complete))
        .build();
  }
}
