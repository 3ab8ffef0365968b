import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { UserPlaces } from '../user-places.ts'

/** A home folder in which every client has servers, laid out as on the given platform. For tests. */
export interface Household {
  readonly places: UserPlaces
  /** Files by their client, as they were written. */
  readonly files: Readonly<Record<string, string>>
  /** Every file in the home folder and its content. */
  snapshot(): Promise<Record<string, string>>
  read(file: string): Promise<string>
  write(file: string, text: string): Promise<void>
  remove(): Promise<void>
}

export async function createHousehold(platform: 'linux' | 'darwin' | 'win32'): Promise<Household> {
  const root = await mkdtemp(join(tmpdir(), 'gantry-home-'))
  const home = join(root, 'home')
  const cwd = join(home, 'project')
  const env = platform === 'win32' ? windowsEnv(home) : {}
  const places: UserPlaces = { platform, home, env, cwd }
  const settings = {
    linux: join(home, '.config'),
    darwin: join(home, 'Library', 'Application Support'),
    win32: join(home, 'AppData', 'Roaming'),
  }[platform]
  const files = {
    'claude-desktop': join(settings, 'Claude', 'claude_desktop_config.json'),
    'claude-code': join(home, '.claude.json'),
    'claude-code project': join(cwd, '.mcp.json'),
    cursor: join(home, '.cursor', 'mcp.json'),
    'cursor project': join(cwd, '.cursor', 'mcp.json'),
    vscode: join(settings, 'Code', 'User', 'mcp.json'),
    'vscode settings': join(settings, 'Code', 'User', 'settings.json'),
    'vscode project': join(cwd, '.vscode', 'mcp.json'),
    windsurf: join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    'mcp-json': join(cwd, 'mcp.json'),
  }
  const write = async (file: string, text: string) => {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  await mkdir(cwd, { recursive: true })
  const contents = fixtureContents(cwd)
  for (const [name, file] of Object.entries(files)) await write(file, contents[name as keyof typeof contents])
  return {
    places,
    files,
    snapshot: () => snapshot(home),
    read: (file) => readFile(file, 'utf8'),
    write,
    remove: () => rm(root, { recursive: true }),
  }
}

function windowsEnv(home: string): Record<string, string> {
  return { APPDATA: join(home, 'AppData', 'Roaming'), LOCALAPPDATA: join(home, 'AppData', 'Local') }
}

async function snapshot(home: string): Promise<Record<string, string>> {
  const names = await readdir(home, { recursive: true })
  const files: Record<string, string> = {}
  for (const name of names.sort()) {
    const path = join(home, name)
    if ((await stat(path)).isFile()) files[relative(home, path)] = await readFile(path, 'utf8')
  }
  return files
}

function fixtureContents(cwd: string) {
  return {
    'claude-desktop': `{
  "globalShortcut": "Ctrl+Space",
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/data/\${literal}"]
    },
    "github": { "command": "docker", "args": ["run", "ghcr.io/github/server"], "env": { "GITHUB_TOKEN": "ghp_desktop" } }
  }
}
`,
    'claude-code': JSON.stringify(
      {
        numStartups: 42,
        mcpServers: {
          github: {
            type: 'http',
            url: 'https://api.example.com/mcp',
            headers: { Authorization: 'Bearer ${GH_TOKEN}' },
          },
          sentry: {
            type: 'sse',
            url: 'https://sentry.example.com/sse',
            oauth: { clientId: 'abc', scopes: 'read write' },
          },
        },
        projects: {
          [cwd]: {
            allowedTools: [],
            mcpServers: { local: { type: 'stdio', command: './run.sh', args: [], env: {} } },
          },
          '/elsewhere': { mcpServers: {} },
        },
      },
      undefined,
      2,
    ),
    'claude-code project':
      '{ "mcpServers": { "db": { "command": "${TOOL:-uvx}", "args": ["db", "${DB_URL:-sqlite://}"] } } }\n',
    cursor: `{
  // mine
  "mcpServers": {
    "filesystem": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home"] },
    "notes": { "command": "node", "args": ["\${userHome}/notes.js"], "env": { "KEY": "\${env:NOTES_KEY}" } },
    "off": { "url": "https://off.example.com/mcp", "disabled": true },
  },
}
`,
    'cursor project':
      '{ "mcpServers": { "tool": { "command": "node", "args": ["${workspaceFolder}/tool.js"], "envFile": ".env" } } }',
    vscode: `{
  "inputs": [{ "type": "promptString", "id": "api-key", "password": true }],
  "servers": {
    "remote": { "type": "http", "url": "https://remote.example.com/mcp", "headers": { "X-Key": "\${input:api-key}" } },
    "everything": { "type": "stdio", "command": "npx", "args": ["-y", "@modelcontextprotocol/server-everything"], "dev": { "watch": "x" } }
  }
}
`,
    'vscode settings':
      '{\n  "editor.fontSize": 12, // big\n  "mcp": { "servers": { "old": { "command": "old-server" } } }\n}\n',
    'vscode project':
      '{\n\t"servers": {\n\t\t"ws": { "command": "node", "args": ["${workspaceFolder}/ws.js"] }\n\t}\n}\n',
    windsurf: `{
  "mcpServers": {
    "everything": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-everything"] },
    "wind": { "serverUrl": "https://wind.example.com/mcp", "disabledTools": ["gust"] },
    "github.com/some/server": { "command": "some" },
    "broken": { "note": "nothing here" }
  }
}`,
    'mcp-json': '{"mcpServers": {"plain": {"command": "plain", "env": {"TOKEN": "secret-plain"}}}}',
  }
}
