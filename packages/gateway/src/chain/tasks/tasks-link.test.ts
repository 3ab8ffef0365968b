import { describe, expect, it } from 'vitest'
import { complete, type JsonObject, type Outcome, type TaskHandle } from '@gantry/mcp/exchange'
import { TASKS_EXTENSION } from '@gantry/mcp/extensions/tasks'
import { Server, tool } from '@gantry/mcp/server'
import { answering, chainBench, modelOf } from '../chain.test.support.ts'
import type { GatewayExchange, Resolved } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'
import { ResultFindings } from '../results/result-findings.ts'
import { resultsLink } from '../results/results-link.ts'
import { tasksLink } from './tasks-link.ts'

const bench = await chainBench({ a: new Server({ name: 'a', tools: { slow: tool({ run: () => 'slow' }) } }) })
const link = tasksLink(bench.ownTasks, bench.tasks)
const FOLLOWING = {
  client: { capabilities: { extensions: { [TASKS_EXTENSION]: {} } }, version: '2026-07-28' },
} as const

async function call(
  facts: Partial<Resolved>,
  params: JsonObject = {},
  init: object = FOLLOWING,
): Promise<GatewayExchange> {
  const exchange = bench.exchange('tools/call', { name: 'a_slow', ...params }, init)
  exchange.resolve({ ...(await bench.resolver.resolve(exchange)), ...facts })
  return exchange
}

async function asked(method: string, taskId: unknown, init: object = FOLLOWING): Promise<Outcome> {
  const exchange = bench.exchange(method, { taskId }, init)
  exchange.resolve(await bench.resolver.resolve(exchange))
  return link(exchange, () => Promise.reject(new Error('no target has this task')))
}

describe('calls and tasks', () => {
  it('an ordinary call is passed on and its result comes back as it is', async () => {
    const outcome = complete({ content: [] })
    expect(await link(await call({}), answering(outcome).next)).toBe(outcome)
  })

  it('the call of an older tool becomes a task of the gateway, which answers for it', async () => {
    let finish: (outcome: Outcome) => void = () => {}
    const result = new Promise<Outcome>((resolve) => {
      finish = resolve
    })
    const handle = (await link(await call({ taskSupport: 'optional' }), () => result)) as TaskHandle
    expect(handle).toMatchObject({ type: 'task', task: { status: 'working' } })
    const { taskId } = handle.task
    expect(await asked('tasks/get', taskId)).toMatchObject({ result: { status: 'working' } })
    finish(complete({ content: [{ type: 'text', text: 'done' }] }))
    await expect
      .poll(() => asked('tasks/get', taskId))
      .toMatchObject({ result: { status: 'completed', result: { content: [{ text: 'done' }] } } })
  })

  it('what a task has kept is shown by the rules of today, also where they are about its structure', async () => {
    const of = async (results: object[]): Promise<Link> => {
      const { results: rules } = await modelOf({ results })
      return tasksLink(bench.ownTasks, bench.tasks, resultsLink(rules, new ResultFindings()))
    }
    const kept = { content: [{ type: 'text', text: 'ann@example.com' }], structuredContent: { pay: 7 } }
    const before = await of([])
    const begun = before(await call({ taskSupport: 'optional' }), () => Promise.resolve(complete(kept)))
    const { taskId } = ((await begun) as TaskHandle).task
    const through = async (using: Link): Promise<string> => {
      const exchange = bench.exchange('tasks/get', { taskId }, FOLLOWING)
      exchange.resolve(await bench.resolver.resolve(exchange))
      return JSON.stringify(await using(exchange, () => Promise.reject(new Error('no target has this task'))))
    }
    await expect.poll(() => through(before)).toMatch(/ann@example.com.*"pay":7/)
    const after = await of([{ for: ['tools:a/*'], mask: ['email'], drop: [{ path: 'pay' }] }])
    expect(await through(after)).toMatch(/\[masked email\]/)
    expect(await through(after)).not.toMatch(/ann@|"pay"/)
  })

  it.each([
    [
      'another caller',
      {
        ...FOLLOWING,
        auth: { principal: { kind: 'key', issuer: '', subject: 'x' }, scopes: [], claims: {} },
      },
      -32601,
    ],
    ['a client without tasks', {}, -32601],
  ])('is not there for %s', async (_who, init, code) => {
    const handle = (await link(
      await call({ taskSupport: 'optional' }),
      () => new Promise(() => {}),
    )) as TaskHandle
    await expect(asked('tasks/get', handle.task.taskId, init)).rejects.toMatchObject({ code })
  })

  it('waits for a client that has no tasks', async () => {
    const outcome = complete({ content: [] })
    expect(await link(await call({ taskSupport: 'required' }, {}, {}), answering(outcome).next)).toBe(outcome)
  })

  it('the task of a target gets an id that is good for its caller alone', async () => {
    const task: TaskHandle = { type: 'task', task: { taskId: 'own', status: 'working' } }
    const exchange = await call({})
    const handle = (await link(exchange, async () => {
      exchange.server = exchange.resolved!.target.serverOf(exchange)
      return task
    })) as TaskHandle
    expect(handle.task.taskId).not.toBe('own')
    const found = await bench.tasks.find(handle.task.taskId, bench.exchange('tasks/get', {}, FOLLOWING))
    expect(found).toMatchObject({ own: 'own', kind: 'tools', name: 'slow', isOwn: false })
  })
})
