package zoo;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** The zoo's client, written with the Java SDK: prints one line of JSON for each feature. */
final class ZooClient {
  private interface Feature {
    void run() throws Exception;
  }

  private final List<String> heard = new CopyOnWriteArrayList<>();
  private McpSyncClient client;

  private McpSchema.CallToolResult call(String name, Map<String, Object> args) {
    return client.callTool(new McpSchema.CallToolRequest(name, args, Map.of("progressToken", name)));
  }

  private String says(String name, Map<String, Object> args) {
    return ((McpSchema.TextContent) call(name, args).content().get(0)).text();
  }

  private static void must(Object seen, Object wanted) {
    if (!wanted.equals(seen)) throw new IllegalStateException(seen + " instead of " + wanted);
  }

  private void waitFor(String what) throws Exception {
    for (int tries = 0; tries < 100; tries++) {
      if (heard.stream().anyMatch(one -> one.startsWith(what))) return;
      Thread.sleep(50);
    }
    throw new IllegalStateException("no " + what + " came");
  }

  private boolean has(String prefix) {
    return client.listTools().tools().stream().anyMatch(tool -> tool.name().startsWith(prefix));
  }

  private String one() {
    return client.listResources().resources().stream()
        .filter(resource -> resource.name().equals("one")).findFirst().orElseThrow().uri();
  }

  private String reads(String uri) {
    McpSchema.ReadResourceRequest request = ZooServer.of(McpSchema.ReadResourceRequest.class, Map.of("uri", uri));
    return ((McpSchema.TextResourceContents) client.readResource(request).contents().get(0)).text();
  }

  private Map<String, Feature> features() {
    Map<String, Feature> all = new LinkedHashMap<>();
    all.put("list", () -> must(has("echo"), true));
    all.put("echo", () -> must(says("echo", Map.of("text", "grüße 🦓")), "grüße 🦓"));
    all.put("structured", () -> must(
        String.valueOf(((Map<?, ?>) call("add", Map.of("a", 2, "b", 3)).structuredContent()).get("sum")), "5"));
    all.put("error", () -> must(call("fail", Map.of()).isError(), true));
    all.put("progress", () -> {
      call("progress", Map.of());
      waitFor("progress 3");
    });
    all.put("log", () -> {
      client.setLoggingLevel(McpSchema.LoggingLevel.DEBUG);
      call("log", Map.of());
      waitFor("log a line");
    });
    all.put("elicit", () -> must(says("ask", Map.of()), "Hello, Ada"));
    all.put("elicit-live", () -> must(says("ask_live", Map.of()), "Hello, Ada"));
    all.put("sample", () -> must(says("sample", Map.of()).contains("zebra"), true));
    all.put("roots", () -> must(says("roots", Map.of()).contains("file:///zoo"), true));
    all.put("read", () -> must(reads(one()), "note one"));
    all.put("template", () -> must(
        reads(client.listResourceTemplates().resourceTemplates().get(0).uriTemplate().replace("{name}", "two")),
        "note two"));
    all.put("updated", () -> {
      client.subscribeResource(ZooServer.of(McpSchema.SubscribeRequest.class, Map.of("uri", one())));
      call("touch", Map.of());
      waitFor("updated");
    });
    all.put("prompt", () -> {
      Map<String, Object> request = Map.of("name", "greet", "arguments", Map.of("name", "Ada"));
      McpSchema.GetPromptResult found =
          client.getPrompt(ZooServer.of(McpSchema.GetPromptRequest.class, request));
      must(((McpSchema.TextContent) found.messages().get(0).content()).text(), "Greet Ada");
    });
    all.put("complete", () -> {
      McpSchema.CompleteRequest.CompleteArgument typed =
          new McpSchema.CompleteRequest.CompleteArgument("name", "A");
      McpSchema.CompleteRequest request =
          new McpSchema.CompleteRequest(new McpSchema.PromptReference("greet"), typed);
      must(client.completeCompletion(request).completion().values(), List.of("Ada", "Alan"));
    });
    all.put("changed", () -> {
      call("grow", Map.of());
      waitFor("changed");
      must(has("grown"), true);
    });
    all.put("big", () -> must(says("big", Map.of("value", 9007199254740993L)).contains("9007199254740993"), true));
    all.put("image", () ->
        must(((McpSchema.ImageContent) call("image", Map.of()).content().get(0)).mimeType(), "image/png"));
    return all;
  }

  private static McpClientTransport transport(List<String> place) {
    if (place.size() == 1) {
      URI url = URI.create(place.get(0));
      return HttpClientStreamableHttpTransport.builder(url.getScheme() + "://" + url.getAuthority())
          .endpoint(url.getPath()).build();
    }
    List<String> args = place.subList(1, place.size());
    ServerParameters parameters = ServerParameters.builder(place.get(0)).args(args).build();
    return new StdioClientTransport(parameters, McpJsonDefaults.getMapper());
  }

  void visit(List<String> place) throws Exception {
    client = McpClient.sync(transport(place))
        .requestTimeout(Duration.ofSeconds(15))
        .capabilities(ZooServer.of(McpSchema.ClientCapabilities.class, Map.of(
            "elicitation", Map.of("form", Map.of()), "sampling", Map.of(), "roots", Map.of())))
        .roots(ZooServer.of(McpSchema.Root.class, Map.of("uri", "file:///zoo", "name", "zoo")))
        .elicitation(request -> ZooServer.of(
            McpSchema.ElicitResult.class, Map.of("action", "accept", "content", Map.of("name", "Ada"))))
        .sampling(request -> ZooServer.of(McpSchema.CreateMessageResult.class, Map.of(
            "role", "assistant", "model", "zoo", "stopReason", "endTurn",
            "content", Map.of("type", "text", "text", "zebra"))))
        .toolsChangeConsumer(tools -> heard.add("changed"))
        .resourcesUpdateConsumer(contents -> heard.add("updated"))
        .loggingConsumer(message -> heard.add("log " + message.data()))
        .progressConsumer(progress -> heard.add("progress " + progress.progress()))
        .build();
    say(Map.of("revision", client.initialize().protocolVersion()));
    for (Map.Entry<String, Feature> feature : features().entrySet()) {
      String found = "yes";
      try {
        feature.getValue().run();
      } catch (Exception error) {
        found = String.valueOf(error.getMessage());
      }
      say(Map.of("feature", feature.getKey(), "found", found));
    }
  }

  private static void say(Map<String, Object> line) throws Exception {
    System.out.println(McpJsonDefaults.getMapper().writeValueAsString(line));
  }
}
