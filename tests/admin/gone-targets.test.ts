import { writeFile } from 'node:fs/promises'
import { connect } from '@gantry/mcp/client'
import { beforeEach, describe, expect, it } from 'vitest'
import { ASKING_SERVER } from '../support/start-gateway.ts'
import { adminGateway, until, type AdminGateway } from '../support/admin-gateway.ts'

const asking = (revisions: string): object => ({
  command: process.execPath,
  args: [ASKING_SERVER],
  env: { REVISIONS: revisions },
})
const SERVERS: Readonly<Record<string, object>> = {
  old: asking('2025-06-18,2025-11-25'),
  new: asking('2026-07-28'),
}
const OFF: Readonly<Record<string, [change: (target: string) => Promise<unknown>, says: RegExp]>> = {
  'taken out of the file': [(target) => write({ [target]: undefined }), /is off: it was removed/],
  'switched off in the file': [
    (target) => write({ [target]: { ...SERVERS[target], enabled: false } }),
    /is off: it is switched off in the configuration/,
  ],
  'stopped by hand': [
    (name) => gateway.api.call('targetAction', { params: { name }, body: { action: 'stop' } }),
    /was stopped by hand|the connection to it was lost/,
  ],
  'started again': [
    (name) => gateway.api.call('targetAction', { params: { name }, body: { action: 'restart' } }),
    /has ended since it asked|the connection to it was lost/,
  ],
  'ended by itself': [
    async (name) => {
      const { instances } = await gateway.api.call('target', { params: { name } })
      for (const { pid } of instances) if (pid !== undefined) process.kill(pid, 'SIGKILL')
    },
    /has ended since it asked|the connection to it was lost|was killed by SIGKILL/,
  ],
}

let gateway: AdminGateway

function write(changes: Record<string, object | undefined>): Promise<void> {
  const mcpServers = { ...SERVERS, ...changes }
  return writeFile(gateway.file, JSON.stringify({ stateDir: './state', mcpServers }))
}

beforeEach(async () => {
  gateway = await adminGateway({ mcpServers: SERVERS })
  await gateway.api.call('catalog', { query: { refresh: true } })
  return () => gateway.close()
})

const waiting = async (): Promise<number> => (await gateway.api.call('waiting', {})).calls.length

describe.each(Object.keys(OFF))('a target that was %s', (how) => {
  it.each([
    ['modern', 'new'],
    ['modern', 'old'],
    ['legacy', 'new'],
    ['legacy', 'old'],
  ] as const)('asks nothing any more: the call of a %s client to the %s server ends', async (era, target) => {
    const { id } = await gateway.api.call('startCall', {
      body: {
        method: 'tools/call',
        params: { name: `${target}_greet` },
        client: { era, capabilities: { elicitation: { form: true } } },
      },
    })
    await until(async () => (await waiting()) === 1)
    const [change, says] = OFF[how]!
    await change(target)
    const detail = await until(async () => {
      const now = await gateway.api.call('playgroundCall', { params: { id } })
      return now.status !== 'waiting' && now.status !== 'running' && now
    })
    expect(detail).toMatchObject({ status: 'error', questions: [] })
    expect(detail.events.at(-1)).toMatchObject({
      type: 'error',
      error: { message: expect.stringMatching(says) },
    })
    expect(await waiting()).toBe(0)
  })
})

it('lists what another client is asked by a target that was taken out, as long as it can be answered', async () => {
  let answer = (_: { action: 'accept'; content: { name: string } }): void => {}
  await using asked = await connect(`${gateway.url}/mcp`, {
    era: 'legacy',
    elicit: () => new Promise((resolve) => (answer = resolve)),
  })
  const call = asked.call('old_greet')
  await until(async () => (await waiting()) === 1)
  await write({ old: undefined })
  await until(() => !gateway.gateway.target('old'))
  expect(await waiting()).toBe(1)
  answer({ action: 'accept', content: { name: 'Ada' } })
  expect((await call).text()).toBe('Hello, Ada!')
  await until(async () => (await waiting()) === 0)
})
