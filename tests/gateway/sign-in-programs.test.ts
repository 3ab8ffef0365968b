import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'
import { Server, text, tool } from '@gantry/mcp/server'
import { freePort } from '../../scripts/lib/free-port.mjs'
import { inspector, mcpRemote } from '../../scripts/lib/inspector.mjs'
import { Browser, companyGateway, type CompanyGateway } from '../support/company.ts'

// Programs that people use, with the person at the browser played by the test.

const NOTES = new Server({
  name: 'notes',
  version: '1',
  tools: { ping: tool({ description: 'Answers', run: () => text('pong') }) },
})

let gateway: CompanyGateway
let home: string

beforeAll(async () => {
  await inspector()
  home = await mkdtemp(join(tmpdir(), 'gantry-programs-'))
  gateway = await companyGateway({ mcpServers: { notes: { module: 'notes' } } }, {}, undefined, {
    embedded: new Map([['notes', NOTES]]),
  })
}, 300_000)
afterAll(async () => {
  await gateway?.close()
  await rm(home, { recursive: true, force: true })
})

/** Programs keep things at home, and open browsers; ours is left alone, and none is opened. */
const surroundings = (): NodeJS.ProcessEnv => ({
  ...process.env,
  HOME: home,
  USERPROFILE: home,
  XDG_CONFIG_HOME: home,
  MCP_REMOTE_CONFIG_DIR: join(home, 'mcp-remote'),
  BROWSER: 'true',
  DISPLAY: '',
  NO_COLOR: '1',
  // Else the Inspector wants a terminal.
  MCP_AUTO_OPEN_ENABLED: 'true',
  MCP_INSPECTOR_SECRET_STORE: 'file',
  MCP_STORAGE_DIR: join(home, 'inspector'),
})

/** Goes where a program wants a person to go, and back to it. Counts the visits. */
class Person {
  visits = 0
  readonly problems: unknown[] = []
  #seen = ''

  watch(child: ChildProcess): void {
    for (const stream of [child.stderr, child.stdout]) stream?.on('data', (chunk) => this.read(String(chunk)))
  }

  read(chunk: string): void {
    this.#seen += chunk
    const url = /http:\/\/127\.0\.0\.1:\d+\/oauth\/authorize\?[^\s"\\]+(?=[\s"\\])/.exec(this.#seen)?.[0]
    if (url === undefined) return
    this.#seen = ''
    this.visits++
    const back = new URL(url).searchParams.get('redirect_uri')!
    new Browser()
      .browse(url, (at) => at.startsWith(back))
      .then((end) => fetch(end))
      .catch((error: unknown) => this.problems.push(error))
  }
}

/** Makes the access tokens in files of a program worthless, as if they had expired. Returns how many there were. */
async function spoilTokens(folder: string): Promise<number> {
  let count = 0
  for (const name of await readdir(folder, { recursive: true })) {
    const file = join(folder, name)
    if (!name.endsWith('.json') || !existsSync(file)) continue
    const before = await readFile(file, 'utf8')
    const after = before.replace(/eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/g, (jwt) => {
      if (decodeProtectedHeader(jwt).typ !== 'at+jwt') return jwt
      count++
      return 'worthless'
    })
    if (after !== before) await writeFile(file, after)
  }
  return count
}

describe('mcp-remote', () => {
  it('registers, signs a person in, calls, and refreshes without the person', async () => {
    const person = new Person()
    const port = await freePort()
    const { command, args } = await mcpRemote()
    const open = () =>
      connect(
        stdio(command, [...args, gateway.endpoint, String(port), '--transport', 'http-only'], {
          env: surroundings() as Record<string, string>,
          onStderr: (line: string) => person.read(`${line}\n`),
        }),
      )
    const first = await open()
    expect((await first.call('notes_ping')).text()).toBe('pong')
    await first.close()
    expect([person.visits, person.problems]).toEqual([1, []])
    expect(await spoilTokens(join(home, 'mcp-remote'))).toBe(1)
    const second = await open()
    expect((await second.call('notes_ping')).text()).toBe('pong')
    await second.close()
    expect(person.visits).toBe(1)
  }, 120_000)
})

describe('the Inspector 2.12', () => {
  async function inspect(person: Person, ...more: string[]): Promise<string> {
    const { command, args } = await inspector()
    const call = ['--method', 'tools/call', '--tool-name', 'notes_ping', '--transport', 'http']
    const child = spawn(command, [...args, '--cli', gateway.endpoint, ...call, ...more], {
      env: surroundings(),
    })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    person.watch(child)
    await new Promise((done) => child.once('close', done))
    return output
  }

  it('registers, signs a person in, calls, and refreshes without the person', async () => {
    const person = new Person()
    const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`
    expect(await inspect(person, '--callback-url', callback)).toContain('pong')
    expect([person.visits, person.problems]).toEqual([1, []])
    expect(await spoilTokens(join(home, 'inspector'))).toBeGreaterThan(0)
    expect(await inspect(person, '--callback-url', callback)).toContain('pong')
    expect(person.visits).toBe(1)
  }, 120_000)
})
