import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const BARE = `process.stdin.on('data', () => {}).on('end', () => {
  process.stdout.write(process.moduleLoadList.join(), () => process.exit())
})`

const SERVER = `import { Server, tool } from '@gantry/mcp/server'
import { serveStdio } from '@gantry/mcp/server/node'
const input = { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] }
const look = tool({ input, run: () => process.moduleLoadList.join() })
await serveStdio(new Server({ name: 'app', version: '1', tools: { look } }))`

const MESSAGES = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/call', params: { name: 'look', arguments: { what: 'modules' } } },
]

/** What a server on stdio has loaded of Node at its first call, beyond a program that only reads and writes. */
export function modulesOfStart(cwd: string): string[] {
  const run = (name: string, script: string): string => {
    writeFileSync(join(cwd, name), script)
    const input = MESSAGES.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('')
    const env = { ...process.env, NODE_OPTIONS: '' }
    return spawnSync(process.execPath, [name], { cwd, encoding: 'utf8', env, input }).stdout
  }
  const answers = run('server-start.mjs', SERVER)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const loaded: string = answers.find(({ id }) => id === 2).result.content[0].text
  const bare = new Set(run('bare-start.mjs', BARE).split(','))
  return loaded.split(',').filter((name) => !bare.has(name))
}
