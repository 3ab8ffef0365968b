// The zoo's server, written with the Go SDK.
package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="

type none struct{}
type echoed struct {
	Text string `json:"text"`
}
type numbers struct {
	A int64 `json:"a"`
	B int64 `json:"b"`
}
type sum struct {
	Sum int64 `json:"sum"`
}
type bigOne struct {
	Value int64 `json:"value"`
}

var cancelled, grown atomic.Int64

func text(words string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: words}}}
}

// tool adds a tool whose result is made of content only.
func tool[In any](server *mcp.Server, name string, run func(context.Context, *mcp.CallToolRequest, In) (*mcp.CallToolResult, error)) {
	mcp.AddTool(server, &mcp.Tool{Name: name, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: name == "ask_live"}}, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		result, err := run(ctx, req, in)
		return result, nil, err
	})
}

var nameForm = map[string]any{
	"type":       "object",
	"properties": map[string]any{"name": map[string]any{"type": "string"}},
	"required":   []string{"name"},
}

// question is asked as a part of the result; the SDK asks older clients live instead.
func question(req *mcp.CallToolRequest, params mcp.InputRequest) (mcp.InputResponse, *mcp.CallToolResult) {
	if answer, ok := req.Params.InputResponses["it"]; ok {
		return answer, nil
	}
	return nil, &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"it": params}}
}

func addQuestions(server *mcp.Server) {
	ask := &mcp.ElicitParams{Message: "Your name?", RequestedSchema: nameForm}
	tool(server, "ask", func(_ context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, error) {
		answer, round := question(req, ask)
		if round != nil {
			return round, nil
		}
		return text(fmt.Sprint("Hello, ", answer.(*mcp.ElicitResult).Content["name"])), nil
	})
	tool(server, "ask_live", func(ctx context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, error) {
		answer, err := req.Session.Elicit(ctx, ask)
		if err != nil {
			return nil, err
		}
		return text(fmt.Sprint("Hello, ", answer.Content["name"])), nil
	})
	tool(server, "sample", func(_ context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, error) {
		messages := []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "Say a word"}}}
		answer, round := question(req, &mcp.CreateMessageParams{Messages: messages, MaxTokens: 10})
		if round != nil {
			return round, nil
		}
		return text(sampled(answer)), nil
	})
	tool(server, "roots", func(_ context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, error) {
		answer, round := question(req, &mcp.ListRootsParams{})
		if round != nil {
			return round, nil
		}
		var uris []string
		for _, root := range answer.(*mcp.ListRootsResult).Roots {
			uris = append(uris, root.URI)
		}
		return text(strings.Join(uris, " ")), nil
	})
}

func sampled(answer mcp.InputResponse) string {
	switch said := answer.(type) {
	case *mcp.CreateMessageResult:
		return said.Content.(*mcp.TextContent).Text
	case *mcp.CreateMessageWithToolsResult:
		return said.Content[0].(*mcp.TextContent).Text
	}
	return fmt.Sprintf("%T", answer)
}

func addPlain(server *mcp.Server) {
	tool(server, "echo", func(_ context.Context, _ *mcp.CallToolRequest, in echoed) (*mcp.CallToolResult, error) {
		return text(in.Text), nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "add"}, func(_ context.Context, _ *mcp.CallToolRequest, in numbers) (*mcp.CallToolResult, sum, error) {
		return nil, sum{in.A + in.B}, nil
	})
	tool(server, "fail", func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, error) {
		return nil, errors.New("this tool fails")
	})
	tool(server, "big", func(_ context.Context, _ *mcp.CallToolRequest, in bigOne) (*mcp.CallToolResult, error) {
		return text(fmt.Sprint(in.Value)), nil
	})
	tool(server, "image", func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, error) {
		data, err := base64.StdEncoding.DecodeString(pixel)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: data, MIMEType: "image/png"}}}, err
	})
	tool(server, "cancelled", func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, error) {
		return text(fmt.Sprint(cancelled.Load())), nil
	})
}

func addLively(server *mcp.Server) {
	tool(server, "progress", func(ctx context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, error) {
		for step := 1.0; step <= 3; step++ {
			params := &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: step, Total: 3}
			if err := req.Session.NotifyProgress(ctx, params); err != nil {
				return nil, err
			}
		}
		return text("done"), nil
	})
	tool(server, "log", func(ctx context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, error) {
		return text("logged"), req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "warning", Data: "a line"})
	})
	tool(server, "slow", func(ctx context.Context, _ *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, error) {
		select {
		case <-ctx.Done():
			cancelled.Add(1)
			return nil, ctx.Err()
		case <-time.After(20 * time.Second):
			return text("slept"), nil
		}
	})
	tool(server, "grow", func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, error) {
		tool(server, fmt.Sprint("grown_", grown.Add(1)), func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, error) {
			return text("grown"), nil
		})
		return text("grown"), nil
	})
	tool(server, "touch", func(ctx context.Context, _ *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, error) {
		return text("touched"), server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "note://one"})
	})
}

func serve() {
	server := mcp.NewServer(&mcp.Implementation{Name: "zoo", Version: "1.0.0"}, &mcp.ServerOptions{
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		CompletionHandler: func(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			values := []string{}
			for _, name := range []string{"Ada", "Alan", "Grace"} {
				if strings.HasPrefix(name, req.Params.Argument.Value) {
					values = append(values, name)
				}
			}
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values}}, nil
		},
	})
	addPlain(server)
	addLively(server)
	addQuestions(server)
	read := func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		name := strings.TrimPrefix(req.Params.URI, "note://")
		contents := []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "text/plain", Text: "note " + name}}
		return &mcp.ReadResourceResult{Contents: contents}, nil
	}
	server.AddResource(&mcp.Resource{URI: "note://one", Name: "one"}, read)
	server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "note://{name}", Name: "note"}, read)
	greet := &mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "name", Required: true}}}
	server.AddPrompt(greet, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		words := &mcp.TextContent{Text: "Greet " + req.Params.Arguments["name"]}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: words}}}, nil
	})
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
