import type { ConfigFormat } from '../config/index.ts'

/** The text that `gantry init` writes. It runs as it is, and shows further settings. */
export function starterConfig(format: ConfigFormat, schema: string | undefined): string {
  return format === 'yaml' ? yamlStarter(schema) : jsoncStarter(schema)
}

function jsoncStarter(schema: string | undefined): string {
  const reference = schema === undefined ? '' : `  "$schema": ${JSON.stringify(schema)},\n\n`
  return `// Gantry: many MCP servers behind one endpoint.
// Every key is described in docs/configuration.md; "gantry check" finds mistakes,
// "gantry import" adds the servers that your other clients have.
{
${reference}  // The servers behind the gateway: the same form as in the files of MCP clients.
  "mcpServers": {
    // A program that is spoken to over stdin and stdout.
    "files": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "."]
    },

    // A remote server; how it wants to be spoken to is found out.
    // "github": {
    //   "url": "https://api.githubcopilot.com/mcp/",
    //   "headers": { "Authorization": "Bearer \${env:GITHUB_TOKEN}" },
    //   "tools": { "exclude": ["delete_*"] }
    // },

    // An HTTP API with an OpenAPI description: its operations become tools.
    // "petstore": {
    //   "openapi": { "document": "./petstore.yaml", "include": ["GET *"] }
    // },
  },

  "server": {
    // Only this machine can reach 127.0.0.1. Any other address needs "auth".
    "host": "127.0.0.1",
    "port": 7332
  },

  // Who may come in, and what they may do there.
  // "auth": { "apiKeys": [{ "name": "ci", "key": "\${env:GANTRY_CI_KEY}" }] },
  // "policy": { "rules": [{ "who": { "apiKeys": ["ci"] }, "deny": ["files/write_*"] }] },
}
`
}

function yamlStarter(schema: string | undefined): string {
  const reference = schema === undefined ? '' : `# yaml-language-server: $schema=${schema}\n`
  return `${reference}# Gantry: many MCP servers behind one endpoint.
# Every key is described in docs/configuration.md; "gantry check" finds mistakes,
# "gantry import" adds the servers that your other clients have.

# The servers behind the gateway: the same form as in the files of MCP clients.
mcpServers:
  # A program that is spoken to over stdin and stdout.
  files:
    command: npx
    args: [-y, "@modelcontextprotocol/server-filesystem", .]

  # A remote server; how it wants to be spoken to is found out.
  # github:
  #   url: https://api.githubcopilot.com/mcp/
  #   headers:
  #     Authorization: Bearer \${env:GITHUB_TOKEN}
  #   tools:
  #     exclude: [delete_*]

  # An HTTP API with an OpenAPI description: its operations become tools.
  # petstore:
  #   openapi:
  #     document: ./petstore.yaml
  #     include: [GET *]

server:
  # Only this machine can reach 127.0.0.1. Any other address needs "auth".
  host: 127.0.0.1
  port: 7332

# Who may come in, and what they may do there.
# auth:
#   apiKeys:
#     - name: ci
#       key: \${env:GANTRY_CI_KEY}
# policy:
#   rules:
#     - who: { apiKeys: [ci] }
#       deny: [files/write_*]
`
}
