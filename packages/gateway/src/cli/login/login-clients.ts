/** The behaviour of a client at a sign-in, as far as a server can see it. */
export interface LoginClient {
  readonly title: string
  /** Where it publishes its metadata; absent: it always registers. */
  readonly metadataDocument?: string
  /** The metadata of its registration. */
  readonly registration: {
    readonly client_name: string
    readonly redirect_uris: readonly string[]
    readonly [name: string]: unknown
  }
  /** Where it then wants to be answered: each has to be accepted. */
  readonly redirects: readonly string[]
  /** Whether it refuses a resource that is not the address it was given. */
  readonly comparesResource: boolean
}

const PUBLIC = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

export type LoginClientName = 'claude' | 'cursor' | 'vscode' | 'inspector'

/** By public reports and documents of these clients; see docs/sign-in.md. */
export const LOGIN_CLIENTS: Readonly<Record<LoginClientName, LoginClient>> = {
  claude: {
    title: 'Claude',
    metadataDocument: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
    registration: {
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      ...PUBLIC,
      scope: 'claudeai',
    },
    redirects: ['https://claude.ai/api/mcp/auth_callback'],
    comparesResource: true,
  },
  cursor: {
    title: 'Cursor',
    registration: {
      client_name: 'Cursor',
      redirect_uris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
      ],
      application_type: 'web',
      ...PUBLIC,
    },
    redirects: ['cursor://anysphere.cursor-mcp/oauth/callback', 'http://localhost:8787/callback'],
    comparesResource: true,
  },
  vscode: {
    title: 'Visual Studio Code',
    metadataDocument: 'https://vscode.dev/oauth/client-metadata.json',
    registration: {
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ],
      application_type: 'native',
      ...PUBLIC,
      grant_types: [...PUBLIC.grant_types, 'urn:ietf:params:oauth:grant-type:device_code'],
    },
    // The port that it registers is often taken, and it uses another.
    redirects: ['http://127.0.0.1:51234/', 'https://vscode.dev/redirect'],
    comparesResource: true,
  },
  inspector: {
    title: 'the MCP Inspector',
    registration: {
      client_name: 'MCP Inspector',
      client_uri: 'https://github.com/modelcontextprotocol/inspector',
      redirect_uris: ['http://127.0.0.1:6276/oauth/callback'],
      ...PUBLIC,
    },
    redirects: ['http://127.0.0.1:6276/oauth/callback'],
    comparesResource: true,
  },
}
