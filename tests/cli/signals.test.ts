import { existsSync, readFileSync } from 'node:fs'
import { readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AuthWorld } from '../../packages/mcp/src/auth/fixtures/auth-world.test.node.ts'
import { openWorkshop, type Running, type Workshop } from './support/gantry.ts'

let shop: Workshop
beforeEach(async () => {
  shop = await openWorkshop()
})
afterEach(() => shop.close())

/** Each process of a target leaves its number in a file. */
const LEAVE_PID = "import { appendFileSync } from 'node:fs'\nappendFileSync('pids', process.pid + '\\n')\n"
const SERVER = `${LEAVE_PID}import { Server, tool } from '@gantry/mcp/server'
import { serveStdio } from '@gantry/mcp/server/node'
await serveStdio(new Server({ name: 'app', tools: {
  quick: tool({ run: () => 'done' }),
  never: tool({ run: () => new Promise(() => setInterval(() => {}, 1000)) }),
} }))`
/** Reads, and never answers: a target that is always starting. */
const SILENT = `${LEAVE_PID}process.stdin.resume()`

const APP = { command: process.execPath, args: ['server.mjs'] }
const STARTING = { command: process.execPath, args: ['silent.mjs'] }
const SERVE = ['serve', '--config', 'gantry.json']

const write = (mcpServers: object, more: object = {}): Promise<string> =>
  shop.write(
    'gantry.json',
    JSON.stringify({
      stateDir: 'state',
      server: { port: 0, drainDelay: 0, shutdownGrace: 300 },
      mcpServers,
      ...more,
    }),
  )

beforeEach(async () => {
  await shop.write('server.mjs', SERVER)
  await shop.write('silent.mjs', SILENT)
})

const pids = (): number[] => {
  const file = join(shop.dir, 'pids')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []
}

function alive(): number[] {
  return pids().filter((pid) => {
    try {
      process.kill(pid, 0)
      return true
    } catch {
      return false
    }
  })
}

async function call(endpoint: string, name: string): Promise<string> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: {}, _meta },
    }),
  })
  return response.text()
}

/** Ends in order: its exit code, nothing of its targets, and no file that says it runs. */
async function endsInOrder(gantry: Running, code: number): Promise<void> {
  await expect.poll(() => gantry.child.exitCode ?? gantry.child.signalCode).not.toBeNull()
  expect([gantry.child.exitCode, gantry.child.signalCode, gantry.err]).toEqual([
    code,
    null,
    expect.anything(),
  ])
  await expect.poll(alive).toEqual([])
  if (code === 0) expect((await readdir(join(shop.dir, 'state'))).join()).not.toContain('gateway')
}

describe.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s', (signal) => {
  it('while the gateway starts', async () => {
    // Comes from the first target, before the gateway has said that it runs.
    const early = { command: 'sh', args: ['-c', `kill -${signal.slice(3)} $PPID; sleep 1; exit 1`] }
    await write({ early, app: APP })
    await endsInOrder(shop.start(...SERVE), 0)
  })

  it('while a target starts that never answers', async () => {
    await write({ app: APP, starting: STARTING })
    const gantry = shop.start(...SERVE)
    await gantry.endpoint()
    await expect.poll(() => pids().length).toBe(2)
    gantry.child.kill(signal)
    await endsInOrder(gantry, 0)
  })

  it('while a page waits for a user to sign in', async () => {
    const world = await new AuthWorld().start()
    try {
      await write({ web: { url: world.serverUrl } })
      const gantry = shop.start(...SERVE)
      const [, base, token] = await gantry.says(/(http:\S+)\/console\/#token=(\S+)/)
      const signIn = async (): Promise<string | undefined> => {
        const headers = { authorization: `Bearer ${token}` }
        const answer = await fetch(`${base}/api/targets/web/sign-in`, { method: 'POST', headers })
        return ((await answer.json()) as { url?: string }).url
      }
      await expect.poll(signIn).toContain('redirect_uri')
      const redirect = new URL((await signIn())!).searchParams.get('redirect_uri')!
      gantry.child.kill(signal)
      await endsInOrder(gantry, 0)
      await expect(fetch(redirect)).rejects.toThrow('fetch failed')
    } finally {
      await world.stop()
    }
  })

  it('during a reload', async () => {
    await write({ app: APP })
    const gantry = shop.start(...SERVE)
    await gantry.endpoint()
    await expect.poll(() => pids().length).toBe(1)
    await write({ app: { ...APP, env: { A: '1' } }, starting: STARTING })
    await expect.poll(() => pids().length).toBeGreaterThan(1)
    gantry.child.kill(signal)
    await endsInOrder(gantry, 0)
  })
})

it('a second signal ends a gateway at once that lets its calls end', async () => {
  await write({ app: APP }, { server: { port: 0, drainDelay: 0, shutdownGrace: '60s' } })
  const gantry = shop.start(...SERVE)
  const endpoint = await gantry.endpoint()
  const never = call(endpoint, 'app_never').catch(() => 'cut off')
  await expect.poll(() => call(endpoint, 'app_quick')).toContain('done')
  gantry.child.kill('SIGINT')
  await expect.poll(() => call(endpoint, 'app_quick').catch(() => 'closed')).not.toContain('done')
  expect(gantry.child.exitCode).toBeNull()
  gantry.child.kill('SIGINT')
  await endsInOrder(gantry, 1)
  await never
})

it('two hundred changes of the configuration, good and bad: the last one wins, and no call fails', async () => {
  await write({ app: APP })
  const gantry = shop.start(...SERVE)
  const endpoint = await gantry.endpoint()
  await expect.poll(() => call(endpoint, 'app_quick')).toContain('done')
  let isOver = false
  const failed: string[] = []
  const caller = (async () => {
    while (!isOver) {
      const answer = await call(endpoint, 'app_quick').catch(String)
      if (!answer.includes('done')) failed.push(answer)
    }
  })()
  for (let change = 0; change < 200; change++) {
    const isBroken = change % 3 === 0
    // A broken text, written in place; a good one, by a rename as editors do it.
    if (isBroken) await shop.write('gantry.json', '{ "mcpServers": { "app": ')
    else await write({ app: APP, other: { ...APP, env: { CHANGE: String(change) } } })
    if (change % 20 === 7) await new Promise((resolve) => setTimeout(resolve, 160))
    if (change % 50 === 9) await rename(join(shop.dir, 'gantry.json'), join(shop.dir, 'moved.json'))
  }
  await write({ app: APP, last: APP })
  await expect.poll(() => call(endpoint, 'last_quick')).toContain('done')
  isOver = true
  await caller
  expect(failed).toEqual([])
  await expect.poll(() => alive().length).toBe(2)
  gantry.child.kill('SIGTERM')
  await endsInOrder(gantry, 0)
})

it('SIGUSR2 logs everything until it comes again', async () => {
  await write({ app: APP }, { telemetry: { logLevel: 'warn', logFormat: 'json' } })
  const gantry = shop.start(...SERVE)
  const endpoint = await gantry.endpoint()
  const lines = (): { level: string; message: string; event?: string }[] =>
    gantry.err
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
  const toggles = () => lines().filter(({ event }) => event === 'log-level-changed').length
  await call(endpoint, 'nothing')
  expect(lines().filter(({ level }) => level === 'info')).toEqual([])
  gantry.child.kill('SIGUSR2')
  await expect.poll(toggles).toBe(1)
  await call(endpoint, 'nothing')
  const failures = () => lines().filter(({ message }) => message === 'tools/call failed').length
  await expect.poll(failures).toBe(1)
  gantry.child.kill('SIGUSR2')
  await expect.poll(toggles).toBe(2)
  await call(endpoint, 'nothing')
  gantry.child.kill('SIGTERM')
  await endsInOrder(gantry, 0)
  expect(failures()).toBe(1)
})
