import { join } from 'node:path'
import { configHome, type UserPlaces } from '../user-places.ts'

export type ClientId = 'claude-desktop' | 'claude-code' | 'cursor' | 'vscode' | 'windsurf' | 'mcp-json'

export interface Client {
  readonly id: ClientId
  readonly title: string
  /** `stdio` for a client whose file can only name programs to start. */
  readonly reach: 'http' | 'stdio'
  /** Where it keeps its lists, whether or not they exist. */
  files(places: UserPlaces): ClientFile[]
}

export interface ClientFile {
  readonly client: ClientId
  readonly file: string
  /** A file of the project is shared with others, mostly by version control. */
  readonly scope: 'user' | 'project'
  /** The project's folder, where its servers are meant to run. */
  readonly folder: string | undefined
}

export const CLIENTS: readonly Client[] = [
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    reach: 'stdio',
    files: (places) => [
      user('claude-desktop', join(appData(places), 'Claude', 'claude_desktop_config.json')),
    ],
  },
  {
    id: 'claude-code',
    title: 'Claude Code',
    reach: 'http',
    files: ({ home, env, cwd }) => [
      user('claude-code', join(env.CLAUDE_CONFIG_DIR || home, '.claude.json')),
      project('claude-code', cwd, '.mcp.json'),
    ],
  },
  {
    id: 'cursor',
    title: 'Cursor',
    reach: 'http',
    files: ({ home, cwd }) => [
      user('cursor', join(home, '.cursor', 'mcp.json')),
      project('cursor', cwd, '.cursor', 'mcp.json'),
    ],
  },
  {
    id: 'vscode',
    title: 'Visual Studio Code',
    reach: 'http',
    files: (places) => [
      // Until mid-2025 the list was a part of settings.json.
      ...['Code', 'Code - Insiders'].flatMap((product) =>
        ['mcp.json', 'settings.json'].map((name) =>
          user('vscode', join(appData(places), product, 'User', name)),
        ),
      ),
      project('vscode', places.cwd, '.vscode', 'mcp.json'),
    ],
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    reach: 'http',
    files: ({ home }) => [
      user('windsurf', join(home, '.codeium', 'windsurf', 'mcp_config.json')),
      // Its plugin for other editors.
      user('windsurf', join(home, '.codeium', 'mcp_config.json')),
    ],
  },
  {
    id: 'mcp-json',
    title: 'mcp.json',
    reach: 'http',
    files: ({ cwd }) => [project('mcp-json', cwd, 'mcp.json')],
  },
]

export function findClient(id: string): Client | undefined {
  return CLIENTS.find((client) => client.id === id)
}

/** Where desktop programs built on Electron keep their settings. */
function appData(places: UserPlaces): string {
  return places.platform === 'darwin'
    ? join(places.home, 'Library', 'Application Support')
    : configHome(places)
}

function user(client: ClientId, file: string): ClientFile {
  return { client, file, scope: 'user', folder: undefined }
}

function project(client: ClientId, folder: string, ...names: string[]): ClientFile {
  return { client, file: join(folder, ...names), scope: 'project', folder }
}
