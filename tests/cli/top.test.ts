import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { connect } from '@gantry/mcp/client'
import { run, type CliRun } from '../../packages/gateway/src/cli/captured-io.test.support.ts'
import { adminGateway, type AdminGateway } from '../support/admin-gateway.ts'

const HOUR = 3_600_000
let gateway: AdminGateway

beforeAll(async () => {
  gateway = await adminGateway({ mcpServers: { demo: { module: 'gantry:demo' } } })
  const began = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: began - 3 * HOUR })
  await call('early', 'demo_list_notes', 3)
  vi.setSystemTime(began)
  await call('late', 'demo_list_notes', 1)
  await call('late', 'demo_delete_note', 2)
})
afterAll(async () => {
  vi.useRealTimers()
  await gateway.close()
})

async function call(client: string, tool: string, times: number): Promise<void> {
  await using connected = await connect(`${gateway.url}/mcp`, { name: client, version: '1' })
  // An id that there is not: a call that fails.
  const args = tool.endsWith('delete_note') ? { id: 999 } : {}
  for (let number = 0; number < times; number++) await connected.call(tool, args).catch(() => {})
}

function top(...args: string[]): Promise<CliRun> {
  const env = { GANTRY_URL: gateway.url, GANTRY_TOKEN: gateway.adminToken }
  return run({ platform: 'linux', home: gateway.dir, env, cwd: gateway.dir }, ['top', ...args])
}

/** The first columns of a table, without its heading. */
async function rows(columns: number, ...args: string[]): Promise<string[]> {
  const { out, err, code } = await top(...args)
  expect([code, err]).toEqual([0, ''])
  const lines = out.trimEnd().split('\n').slice(1)
  return lines.map((line) => line.trim().split(/ {2,}/).slice(0, columns).join(' '))
}

it('gantry top counts the calls of each tool, the most used first', async () => {
  expect(await rows(4)).toEqual(['list_notes demo 4 0', 'delete_note demo 2 2'])
})

it('gantry top --range leaves out what is longer ago', async () => {
  expect(await rows(3, '--range', '1h')).toEqual(['delete_note demo 2', 'list_notes demo 1'])
  expect(await rows(3, '--range', '7d')).toEqual(['list_notes demo 4', 'delete_note demo 2'])
  expect(await top('--range', '1y')).toMatchObject({ code: 2 })
})

it('gantry top --per tells callers apart', async () => {
  expect(await rows(4, '--per', 'client')).toEqual([
    'list_notes demo early 3',
    'delete_note demo late 2',
    'list_notes demo late 1',
  ])
  expect((await rows(3, '--per', 'principal'))[0]).toMatch(/^list_notes demo \S/)
})

it('gantry top sorts by the column that is wanted, and shows as many as are wanted', async () => {
  expect(await rows(1, '--by', 'errors', '--limit', '1')).toEqual(['delete_note'])
  expect((await top('--by', 'errors', '--limit', '1', '--json')).json()).toMatchObject({
    tools: [{ name: 'delete_note', calls: 2, errors: 2 }],
  })
  expect(await top('--by', 'constructor')).toMatchObject({ code: 2 })
})
