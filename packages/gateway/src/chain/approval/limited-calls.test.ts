import { expect, it } from 'vitest'
import type { JsonObject, Outcome, TaskHandle } from '@gantry/mcp/exchange'
import { TASKS_EXTENSION } from '@gantry/mcp/extensions/tasks'
import { Server, tool } from '@gantry/mcp/server'
import { keyPrincipal } from '../../model/index.ts'
import { chainBench, liveExchange } from '../chain.test.support.ts'

// An approved call that a limit refuses has used up nothing.

const TASKS = { extensions: { [TASKS_EXTENSION]: {} } }

async function bench() {
  let end: () => void = () => {}
  let refunds = 0
  const bank = new Server({
    name: 'bank',
    tools: {
      slow: tool({ run: () => new Promise<string>((resolve) => (end = () => resolve('slow'))) }),
      refund: tool({
        run: () => {
          refunds++
          return 'refunded'
        },
      }),
    },
  })
  const { gateway } = await chainBench(
    { bank },
    {
      policy: { rules: [{ allow: ['tools:bank/refund'], approve: {} }] },
      limits: { rates: [{ name: 'one', concurrent: 1 }], repeatedErrors: {} },
    },
  )
  const ask = async (method: string, params: JsonObject, capabilities: JsonObject = {}): Promise<Outcome> =>
    gateway.endpoint()!.respond(
      liveExchange(method, params, {
        client: { capabilities, version: '2026-07-28' },
        auth: { principal: keyPrincipal('ann'), scopes: [], claims: {} },
      }),
    )
  const call = (name: string, capabilities?: JsonObject) =>
    ask('tools/call', { name: `bank_${name}` }, capabilities)
  const approve = async (): Promise<void> => {
    const [waiting] = await gateway.approvals.list()
    const operator = { name: 'console', subject: undefined, isOperator: true }
    await gateway.approvals.decide(waiting!.id, { approved: true }, operator)
  }
  return { approve, ask, call, end: () => end(), refunds: () => refunds }
}

const LIMITED = { error: { data: { reason: 'limit' } } }

it('keeps the approval of a call that a limit refuses, for one call', async () => {
  const { approve, call, end, refunds } = await bench()
  await call('refund')
  await approve()
  const running = call('slow')
  await expect.poll(() => call('refund')).toMatchObject(LIMITED)
  end()
  await running
  expect(JSON.stringify(await call('refund'))).toContain('refunded')
  expect(JSON.stringify(await call('refund'))).toContain('waits for the approval')
  expect(refunds()).toBe(1)
})

it('keeps it also where the call waited as a task', async () => {
  const { approve, ask, call, end, refunds } = await bench()
  const { taskId } = ((await call('refund', TASKS)) as TaskHandle).task
  await approve()
  const running = call('slow')
  await expect.poll(() => call('slow')).toMatchObject(LIMITED)
  await expect.poll(() => ask('tasks/get', { taskId }, TASKS)).toMatchObject({ result: { status: 'failed' } })
  end()
  await running
  expect(JSON.stringify(await call('refund'))).toContain('refunded')
  expect(refunds()).toBe(1)
})
