import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type CallResult, Client, http } from '@gantry/mcp/client'
import { stdio, type StdioWire } from '@gantry/mcp/client/node'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundle } from '../../packages/mcp/src/transport/fixtures/bundle.test.node.ts'
import {
  children,
  survivors,
  uniqueToken,
} from '../../packages/mcp/src/transport/fixtures/survivors.test.node.ts'

const ROUNDS = Number(process.env.GANTRY_KILL_ROUNDS ?? 30)
const AT_A_TIME = 3
const token = uniqueToken()
let server: string
let host: string

const unhandled: unknown[] = []
const note = (thrown: unknown): void => void unhandled.push(thrown)
beforeAll(async () => {
  process.on('unhandledRejection', note)
  process.on('uncaughtException', note)
  server = await bundle(new URL('fixtures/kill-server.ts', import.meta.url))
  host = await bundle(new URL('fixtures/kill-host.ts', import.meta.url))
})
afterAll(() => {
  process.off('unhandledRejection', note)
  process.off('uncaughtException', note)
})

type Era = 'legacy' | 'modern'

interface Caught {
  client: Client
  pid: number
  /** How the call that was under way ended. */
  call: Promise<CallResult | Error>
}

/** A client in the middle of a call. */
async function catchCall(client: Client, tool: string, pid: () => number): Promise<Caught> {
  const running = withResolvers()
  const call = client.call(tool, {}, { onProgress: () => running.resolve() }).catch((error: Error) => {
    running.resolve()
    return error
  })
  await running.promise
  return { client, pid: pid(), call }
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

async function overStdio(era: Era, tool = 'hang'): Promise<Caught> {
  const wires: StdioWire[] = []
  const shutdown = { end: 300, term: 300 }
  const connector = stdio({ command: process.execPath, args: [server, 'stdio', token], shutdown })
  const kept = { ...connector, open: async () => wires[wires.push(await connector.open()) - 1]! }
  const client = new Client({ connector: kept, era })
  await client.call('fork')
  return catchCall(client, tool, () => wires[0]!.process.pid)
}

/** A server that is not ours, so that its end is not ours to arrange. */
async function overHttp(era: Era): Promise<Caught & { child: ChildProcess }> {
  const child = spawn(process.execPath, [server, 'http', token], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const reconnect = { maxAttempts: 0 }
  const client = new Client({ connector: http(line.toString().trim()), reconnect, era })
  return { ...(await catchCall(client, 'hang', () => child.pid!)), child }
}

async function finish({ client, call }: Caught): Promise<void> {
  await client.close()
  const ended = await call
  expect(ended).toBeInstanceOf(Error)
  expect((ended as { code?: string }).code).toMatch(/^(closed|exited|network|cancelled)$/)
}

/** The ways in which one side goes while a call is under way. */
const ENDINGS: Record<string, (era: Era) => Promise<void>> = {
  'we close': async (era) => finish(await overStdio(era)),
  'the server is killed': async (era) => {
    const caught = await overStdio(era)
    process.kill(caught.pid, 'SIGKILL')
    await caught.call
    await finish(caught)
  },
  'the server is killed while we close': async (era) => {
    const caught = await overStdio(era)
    process.kill(caught.pid, 'SIGTERM')
    await finish(caught)
  },
  'the server exits': async (era) => finish(await overStdio(era, 'exit')),
  'we are killed': async (era) => {
    const signal = era === 'legacy' ? 'SIGKILL' : 'SIGTERM'
    const child = spawn(process.execPath, [host, server, era, token], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    child.kill(signal)
    await once(child, 'close')
  },
  'we close, over HTTP': async (era) => {
    const caught = await overHttp(era)
    await finish(caught)
    caught.child.kill('SIGKILL')
    await once(caught.child, 'close')
  },
  'the server is killed, over HTTP': async (era) => {
    const caught = await overHttp(era)
    caught.child.kill('SIGKILL')
    await caught.call
    await finish(caught)
  },
}

const sockets = (): string[] =>
  process.getActiveResourcesInfo().filter((name) => /Process|Pipe|Socket/.test(name))

it(`${ROUNDS} rounds of spawn, call and kill leave no process, no socket, no unhandled rejection`, async () => {
  const before = { children: children(), sockets: sockets() }
  const endings = Object.values(ENDINGS)
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < ROUNDS) {
      const round = next++
      const era = Math.floor(round / endings.length) % 2 === 0 ? 'modern' : 'legacy'
      await endings[round % endings.length]!(era)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, lane))
  // Those of a program that was killed are ended by its guard, a moment later.
  await expect.poll(() => survivors(token)).toEqual([])
  await expect.poll(() => children()).toEqual(before.children)
  await expect.poll(() => sockets()).toEqual(before.sockets)
  expect(unhandled).toEqual([])
}, 1_200_000)
