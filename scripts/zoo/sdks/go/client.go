// The zoo's client, written with the Go SDK: prints one line of JSON for each feature.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const patience = 15 * time.Second

// peer is a connection, and what the server told on it.
type peer struct {
	*mcp.ClientSession
	mu    sync.Mutex
	heard []string
}

func (p *peer) hear(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heard = append(p.heard, what)
}

// waitFor returns when the server has told it.
func (p *peer) waitFor(ctx context.Context, what string) error {
	for {
		p.mu.Lock()
		found := slices.Contains(p.heard, what)
		p.mu.Unlock()
		if found {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no %s came", what)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (p *peer) call(ctx context.Context, name string, args map[string]any) (*mcp.CallToolResult, error) {
	params := &mcp.CallToolParams{Name: name, Arguments: args, Meta: mcp.Meta{"io.modelcontextprotocol/logLevel": "debug"}}
	params.SetProgressToken(name)
	return p.CallTool(ctx, params)
}

func (p *peer) says(ctx context.Context, name string, args map[string]any) (string, error) {
	result, err := p.call(ctx, name, args)
	if err != nil {
		return "", err
	}
	words, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		return "", fmt.Errorf("%T", result.Content[0])
	}
	return words.Text, nil
}

func (p *peer) expect(ctx context.Context, name string, args map[string]any, wanted string) error {
	seen, err := p.says(ctx, name, args)
	return must(seen, wanted, err)
}

func must(seen, wanted any, err error) error {
	if err == nil && seen != wanted {
		return fmt.Errorf("%v instead of %v", seen, wanted)
	}
	return err
}

func (p *peer) has(ctx context.Context, prefix string) error {
	tools, err := p.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	for _, tool := range tools.Tools {
		if strings.HasPrefix(tool.Name, prefix) {
			return nil
		}
	}
	return fmt.Errorf("no %s in the list", prefix)
}

func (p *peer) one(ctx context.Context) (string, error) {
	found, err := p.ListResources(ctx, nil)
	if err != nil {
		return "", err
	}
	for _, resource := range found.Resources {
		if resource.Name == "one" {
			return resource.URI, nil
		}
	}
	return "", fmt.Errorf("no resource called one")
}

func (p *peer) reads(ctx context.Context, uri, wanted string) error {
	found, err := p.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return err
	}
	return must(found.Contents[0].Text, wanted, nil)
}

type feature struct {
	name string
	try  func(context.Context, *peer) error
}

func saying(tool string, args map[string]any, wanted string) func(context.Context, *peer) error {
	return func(ctx context.Context, p *peer) error { return p.expect(ctx, tool, args, wanted) }
}

var features = []feature{
	{"list", func(ctx context.Context, p *peer) error { return p.has(ctx, "echo") }},
	{"echo", saying("echo", map[string]any{"text": "grüße 🦓"}, "grüße 🦓")},
	{"structured", func(ctx context.Context, p *peer) error {
		result, err := p.call(ctx, "add", map[string]any{"a": 2, "b": 3})
		if err != nil {
			return err
		}
		written, err := json.Marshal(result.StructuredContent)
		return must(string(written), `{"sum":5}`, err)
	}},
	{"error", func(ctx context.Context, p *peer) error {
		result, err := p.call(ctx, "fail", nil)
		return must(err == nil && result.IsError, true, err)
	}},
	{"progress", func(ctx context.Context, p *peer) error {
		if _, err := p.call(ctx, "progress", nil); err != nil {
			return err
		}
		return p.waitFor(ctx, "progress 3")
	}},
	{"log", func(ctx context.Context, p *peer) error {
		if p.InitializeResult().ProtocolVersion < "2026" {
			if err := p.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "debug"}); err != nil {
				return err
			}
		}
		if _, err := p.call(ctx, "log", nil); err != nil {
			return err
		}
		return p.waitFor(ctx, "log a line")
	}},
	{"elicit", saying("ask", nil, "Hello, Ada")},
	{"elicit-live", saying("ask_live", nil, "Hello, Ada")},
	{"sample", saying("sample", nil, "zebra")},
	{"roots", saying("roots", nil, "file:///zoo")},
	{"read", func(ctx context.Context, p *peer) error {
		uri, err := p.one(ctx)
		if err != nil {
			return err
		}
		return p.reads(ctx, uri, "note one")
	}},
	{"template", func(ctx context.Context, p *peer) error {
		found, err := p.ListResourceTemplates(ctx, nil)
		if err != nil {
			return err
		}
		return p.reads(ctx, strings.Replace(found.ResourceTemplates[0].URITemplate, "{name}", "two", 1), "note two")
	}},
	{"updated", func(ctx context.Context, p *peer) error {
		uri, err := p.one(ctx)
		if err != nil {
			return err
		}
		if err := p.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
			return err
		}
		if _, err := p.call(ctx, "touch", nil); err != nil {
			return err
		}
		return p.waitFor(ctx, "updated "+uri)
	}},
	{"prompt", func(ctx context.Context, p *peer) error {
		found, err := p.GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet", Arguments: map[string]string{"name": "Ada"}})
		if err != nil {
			return err
		}
		return must(found.Messages[0].Content.(*mcp.TextContent).Text, "Greet Ada", nil)
	}},
	{"complete", func(ctx context.Context, p *peer) error {
		found, err := p.Complete(ctx, &mcp.CompleteParams{
			Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "greet"},
			Argument: mcp.CompleteParamsArgument{Name: "name", Value: "A"},
		})
		if err != nil {
			return err
		}
		return must(fmt.Sprint(found.Completion.Values), "[Ada Alan]", nil)
	}},
	{"changed", func(ctx context.Context, p *peer) error {
		if _, err := p.call(ctx, "grow", nil); err != nil {
			return err
		}
		if err := p.waitFor(ctx, "changed"); err != nil {
			return err
		}
		return p.has(ctx, "grown")
	}},
	{"cancel", func(ctx context.Context, p *peer) error {
		before, err := p.says(ctx, "cancelled", nil)
		if err != nil {
			return err
		}
		short, stop := context.WithTimeout(ctx, 700*time.Millisecond)
		defer stop()
		_, _ = p.call(short, "slow", nil)
		for range 30 {
			if now, err := p.says(ctx, "cancelled", nil); err != nil || now != before {
				return err
			}
			time.Sleep(100 * time.Millisecond)
		}
		return fmt.Errorf("the tool was not told")
	}},
	{"big", saying("big", map[string]any{"value": int64(9007199254740993)}, "9007199254740993")},
	{"image", func(ctx context.Context, p *peer) error {
		result, err := p.call(ctx, "image", nil)
		if err != nil {
			return err
		}
		return must(result.Content[0].(*mcp.ImageContent).MIMEType, "image/png", nil)
	}},
}

func (p *peer) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			words := &mcp.TextContent{Text: "zebra"}
			return &mcp.CreateMessageResult{Role: "assistant", Content: words, Model: "zoo", StopReason: "endTurn"}, nil
		},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { p.hear("changed") },
		ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) {
			p.hear("updated " + req.Params.URI)
		},
		LoggingMessageHandler: func(_ context.Context, req *mcp.LoggingMessageRequest) {
			p.hear(fmt.Sprint("log ", req.Params.Data))
		},
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			p.hear(fmt.Sprint("progress ", req.Params.Progress))
		},
	}
}

func visit(where []string) {
	ctx := context.Background()
	p := &peer{}
	client := mcp.NewClient(&mcp.Implementation{Name: "zoo", Version: "1.0.0"}, p.options())
	client.AddRoots(&mcp.Root{URI: "file:///zoo", Name: "zoo"})
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: where[0]}
	if len(where) > 1 {
		transport = &mcp.CommandTransport{Command: exec.Command(where[0], where[1:]...)}
	}
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		log.Fatal(err)
	}
	p.ClientSession = session
	say(map[string]string{"revision": session.InitializeResult().ProtocolVersion})
	for _, feature := range features {
		limited, stop := context.WithTimeout(ctx, patience)
		found := "yes"
		if err := feature.try(limited, p); err != nil {
			found = err.Error()
		}
		stop()
		say(map[string]string{"feature": feature.name, "found": found})
	}
	_ = session.Close()
}

func say(line map[string]string) {
	_ = json.NewEncoder(os.Stdout).Encode(line)
}
