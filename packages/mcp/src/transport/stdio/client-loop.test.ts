import { afterAll, beforeAll, expect, it } from 'vitest'
import { children, fixture, survivors, uniqueToken } from '../fixtures/survivors.test.node.ts'
import { stdio } from './client.node.ts'

const ROUNDS = Number(process.env.GANTRY_LOOP_ROUNDS ?? 100)
const AT_A_TIME = 4
const SERVER = fixture('line-server.mjs')
const unhandled: unknown[] = []
const onUnhandled = (reason: unknown): void => {
  unhandled.push(reason)
}

beforeAll(() => {
  process.on('unhandledRejection', onUnhandled)
})

afterAll(() => {
  process.off('unhandledRejection', onUnhandled)
})

type Ending = (wire: Awaited<ReturnType<ReturnType<typeof stdio>['open']>>) => Promise<unknown>

/** The ways a round can end, ours and theirs, each with a request still pending. */
const endings: Ending[] = [
  (wire) => wire.close(),
  async (wire) => {
    process.kill(wire.process.pid, 'SIGKILL')
    await gone(wire)
  },
  async (wire) => {
    process.kill(wire.process.pid, 'SIGTERM')
    await wire.close()
  },
  async (wire) => {
    wire.send({ jsonrpc: '2.0', method: 'exit', params: { code: 1 } }).catch(() => {})
    await gone(wire)
  },
]

function gone(wire: Parameters<Ending>[0]): Promise<void> {
  return new Promise((resolve) => {
    wire.onClose = () => resolve()
  })
}

async function round(number: number, token: string): Promise<void> {
  const wire = await stdio(process.execPath, [SERVER, token], {
    shutdown: { end: 500, term: 100 },
  }).open()
  await wire.request({ jsonrpc: '2.0', id: 1, method: 'echo' })
  if (number % 7 === 0)
    await wire.request({ jsonrpc: '2.0', id: 2, method: 'fork', params: { detached: false } })
  const pending = wire.request({ jsonrpc: '2.0', id: 3, method: 'silent' }).catch((error: Error) => error)
  await endings[number % endings.length]?.(wire)
  expect(await pending).toBeInstanceOf(Error)
  await wire.close()
}

function resources(): string[] {
  return process.getActiveResourcesInfo().filter((name) => /Process|Pipe|Socket|TTY/.test(name))
}

it(`${ROUNDS} rounds of spawn, request and kill leave no process, no handle, no unhandled rejection`, async () => {
  const token = uniqueToken()
  const before = resources()
  const childrenBefore = children()
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < ROUNDS) await round(next++, token)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, lane))
  expect(survivors(token)).toEqual([])
  expect(children()).toEqual(childrenBefore)
  await expect.poll(() => resources()).toEqual(before)
  expect(unhandled).toEqual([])
}, 600_000)
