import { beforeEach, describe, expect, it } from 'vitest'
import type { InputRequired, JsonObject, Outcome } from '@gantry/mcp/exchange'
import { TASKS_EXTENSION } from '@gantry/mcp/extensions/tasks'
import { Server, tool } from '@gantry/mcp/server'
import { keyPrincipal } from '../../model/index.ts'
import { chainBench, liveExchange, modelOf } from '../chain.test.support.ts'
import type { Approval } from './approval.ts'
import { Permissions } from '../../rules/permissions.ts'
import { approvalLink } from './approval-link.ts'
import { needsFor, type Approver } from './approvers.ts'

let calls: unknown[] = []
const app = new Server({
  name: 'bank',
  tools: {
    refund: tool({
      input: {
        type: 'object',
        properties: { amount: { type: 'number' }, to: { type: 'string' } },
        required: ['amount'],
      },
      run: (args: unknown) => {
        calls.push(args)
        return 'refunded'
      },
    }),
    ask: tool({
      run: async (_input, context) => {
        const sure = await context.confirm('Which one?')
        calls.push(sure)
        return sure ? 'yes' : 'no'
      },
    }),
    close: tool({
      run: () => {
        calls.push('close')
        return 'closed'
      },
    }),
  },
  resources: [{ uri: 'doc://secret', name: 'secret', text: 'text' }],
})

const POLICY = {
  rules: [
    {
      name: 'large refunds',
      allow: ['tools:bank/refund'],
      when: 'args.amount > 500',
      approve: { by: ['group:leads', 'operator'], within: '15m', message: 'Large refunds need a lead.' },
    },
    {
      name: 'very large refunds',
      allow: ['tools:bank/refund'],
      when: 'args.amount > 5000',
      approve: { by: 'key:boss' },
    },
    { name: 'asking', allow: ['tools:bank/ask'], approve: {} },
    { name: 'closing', allow: ['tools:bank/close'], confirm: true, message: 'Really close the account?' },
    { name: 'reading', allow: ['resources:bank/*'], approve: { within: 60 } },
  ],
}
const CONFIG = {
  auth: {
    apiKeys: ['ann', 'bob', 'boss'].map((name) => ({
      name,
      sha256: name.padEnd(64, '0').replace(/[^0-9a-f]/g, 'a'),
    })),
  },
  policy: POLICY,
  results: [{ mask: ['email'] }],
}
const { gateway } = await chainBench({ bank: app }, CONFIG)
gateway.approvals.address = 'http://127.0.0.1:7332'

const FORM = { elicitation: { form: {} } }
const URLS = { elicitation: { url: {} } }
const TASKS = { extensions: { [TASKS_EXTENSION]: {} } }
const OPERATOR: Approver = { name: 'console', subject: undefined, isOperator: true }
const keyOf = (name: string) => ({ principal: keyPrincipal(name), scopes: [], claims: {} })
const approver = (name: string, claims: JsonObject = {}): Approver => ({
  name,
  subject: { ...keyOf(name), claims },
  isOperator: false,
})

let caller = 0
beforeEach(() => {
  calls = []
  caller++
})

interface How {
  capabilities?: JsonObject
  session?: string
  as?: string
  more?: JsonObject
  signal?: AbortSignal
  method?: string
}

async function call(tool: string, args: JsonObject = {}, how: How = {}): Promise<Outcome> {
  const { capabilities = {}, session, as = `caller-${caller}`, more = {}, method = 'tools/call' } = how
  const params =
    method === 'tools/call' ? { name: `bank_${tool}`, arguments: args, ...more } : { ...args, ...more }
  const exchange = liveExchange(method, params, {
    client: { capabilities, version: '2026-07-28' },
    auth: keyOf(as),
    ...(session !== undefined && { session }),
  })
  return (await gateway.endpoint()!.respond(exchange)) as Outcome
}

const textOf = (outcome: Outcome): string => JSON.stringify(outcome)

async function waiting(): Promise<Approval> {
  for (;;) {
    const own = (await gateway.approvals.list()).filter(
      (one) => one.principal?.subject === `caller-${caller}`,
    )
    if (own[0]) return own[0]
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const decide = async (approved: boolean, by: Approver = OPERATOR, reason?: string) =>
  gateway.approvals.decide((await waiting()).id, { approved, reason }, by)

describe('a call that another person has to approve', () => {
  it('is made at once when no rule holds it', async () => {
    expect(textOf(await call('refund', { amount: 20 }))).toContain('refunded')
    expect(await gateway.approvals.list()).toEqual([])
  })

  it('is listed like any other', async () => {
    const outcome = await gateway.endpoint()!.respond(liveExchange('tools/list', {}, { auth: keyOf('ann') }))
    expect(textOf(outcome as Outcome)).toContain('bank_refund')
  })

  it('is not made, says where it is decided, and is made once when it is repeated after that', async () => {
    const refused = textOf(await call('refund', { amount: 600 }))
    expect(refused).toContain('Large refunds need a lead.')
    expect(refused).toContain('group:leads or operator')
    expect(refused).toMatch(/http:\/\/127\.0\.0\.1:7332\/console\/approvals\?id=[0-9a-f-]+/)
    expect(refused).toContain('Repeat the call')
    expect(refused).toContain('"isError":true')
    expect(calls).toEqual([])
    await decide(true)
    expect(textOf(await call('refund', { amount: 600 }))).toContain('refunded')
    expect(textOf(await call('refund', { amount: 600 }))).toContain('waits for the approval')
    expect(calls).toHaveLength(1)
  })

  it('is refused with the reason, also when it is repeated', async () => {
    await call('refund', { amount: 600 })
    await decide(false, OPERATOR, 'The customer has been paid.')
    for (let at = 0; at < 2; at++) {
      const refused = textOf(await call('refund', { amount: 600 }))
      expect(refused).toContain('refused it')
      expect(refused).toContain('The customer has been paid.')
    }
    expect(calls).toEqual([])
  })

  it('is decided by one of two who decide at the same time', async () => {
    await call('refund', { amount: 600 })
    const { id } = await waiting()
    const both = [true, false].map((approved) => gateway.approvals.decide(id, { approved }, OPERATOR))
    const decided = await Promise.all(both)
    expect(decided.filter((one) => one === 'decided')).toHaveLength(1)
    expect(decided.filter((one) => typeof one === 'object')).toHaveLength(1)
  })

  it('is not approved by a decision about an equal call before', async () => {
    await call('refund', { amount: 600 })
    const before = await waiting()
    await decide(true)
    await call('refund', { amount: 600 })
    await call('refund', { amount: 600 })
    expect((await waiting()).id).not.toBe(before.id)
    expect(await gateway.approvals.decide(before.id, { approved: true }, OPERATOR)).toBe('gone')
    await gateway.approvals.withdraw(before.id)
    expect(await gateway.approvals.take(before.id)).toBeUndefined()
    expect((await waiting()).state).toBe('pending')
    expect(calls).toHaveLength(1)
  })

  it('is not made with other arguments, for another caller, or of another tool', async () => {
    await call('refund', { amount: 600, to: 'x' })
    await decide(true)
    expect(textOf(await call('refund', { amount: 601, to: 'x' }))).toContain('waits for')
    expect(textOf(await call('refund', { amount: 600 }))).toContain('waits for')
    expect(textOf(await call('refund', { amount: 600, to: 'x' }, { as: 'another' }))).toContain('waits for')
    expect(calls).toEqual([])
    expect(textOf(await call('refund', { to: 'x', amount: 600 }))).toContain('refunded')
  })

  it.each<[unknown]>([[[]], [null], ['{"amount":900}'], [['x']], [7]])(
    'is refused with arguments that nobody could look at: %j',
    async (args) => {
      for (const name of ['ask', 'close', 'refund']) {
        const outcome = await call(name, args as JsonObject, { capabilities: FORM })
        expect(outcome.type).toBe('error')
      }
      expect((await gateway.approvals.list()).map(({ principal }) => principal?.subject)).not.toContain(
        `caller-${caller}`,
      )
      expect(calls).toEqual([])
    },
  )

  it('is refused when a server could read another argument than the rule', async () => {
    for (const args of [
      { amount: 1, Amount: 900 },
      { AMOUNT: 900, amount: 1 },
    ]) {
      expect((await call('refund', args)).type).toBe('error')
    }
    expect(calls).toEqual([])
  })

  it('is never approved by its caller, whatever group or scope that one has', async () => {
    await call('refund', { amount: 600 })
    const self = { ...approver(`caller-${caller}`, { groups: ['leads'] }), isOperator: true }
    expect(await decide(true, self)).toBe('own')
    expect(await decide(true, approver('eve', { groups: ['other'] }))).toBe('not-approver')
    expect(await decide(true, approver('lea', { groups: ['leads'] }))).toMatchObject({ state: 'approved' })
    expect(await decide(false)).toBe('decided')
  })

  it('is not among those that its caller is shown to decide about', async () => {
    await call('refund', { amount: 600 })
    const approval = await waiting()
    const claims = { groups: ['leads'] }
    expect(needsFor(approval, approver('lea', claims))).toHaveLength(1)
    expect(needsFor(approval, approver(`caller-${caller}`, claims))).toEqual([])
    expect(needsFor(approval, { ...approver(`caller-${caller}`, claims), isOperator: true })).toEqual([])
  })

  it('waits until every rule that holds it is content', async () => {
    await call('refund', { amount: 9000 })
    expect(await decide(true)).toMatchObject({ state: 'pending' })
    expect(textOf(await call('refund', { amount: 9000 }))).toContain('key:boss')
    expect(await decide(true)).toBe('not-approver')
    expect(await decide(true, approver('boss'))).toMatchObject({ state: 'approved' })
    expect(textOf(await call('refund', { amount: 9000 }))).toContain('refunded')
  })

  it('shows approvers its arguments without what rules for results mask', async () => {
    await call('refund', { amount: 600, to: 'ann@example.com' })
    const { args } = await waiting()
    expect(args).toEqual({ amount: 600, to: '[masked email]' })
    await decide(true)
    await call('refund', { amount: 600, to: 'ann@example.com' })
    expect(calls).toEqual([{ amount: 600, to: 'ann@example.com' }])
  })

  it('does not wait when its caller has twenty others that do', async () => {
    for (let at = 0; at < 20; at++) await call('refund', { amount: 600 + at })
    expect(textOf(await call('refund', { amount: 900 }))).toContain('too many of your calls')
    expect(textOf(await call('refund', { amount: 900 }, { as: 'another' }))).toContain('waits for')
  })

  it('takes an approval that several ask for at the same time once', async () => {
    await call('refund', { amount: 600 })
    await decide(true)
    const answers = await Promise.all(Array.from({ length: 20 }, () => call('refund', { amount: 600 })))
    expect(answers.filter((one) => textOf(one).includes('refunded'))).toHaveLength(1)
    expect(calls).toHaveLength(1)
  })

  it('can be made as long after its approval as it could wait for one', async () => {
    await call('refund', { amount: 600 })
    const { expiresAt, within } = await waiting()
    await new Promise((resolve) => setTimeout(resolve, 20))
    const approved = (await decide(true)) as Approval
    expect(approved.expiresAt - expiresAt).toBeGreaterThan(10)
    expect(approved.expiresAt - Date.now()).toBeLessThanOrEqual(within)
  })

  it('waits in whatever spelling its rule is written', async () => {
    const model = await modelOf({
      mcpServers: { bank: { module: 'bank' } },
      policy: { rules: [{ allow: ['tools:bank/REFUND'], approve: {} }] },
    })
    const object = { kind: 'tools', target: 'bank', name: 'refund' } as const
    const verdict = new Permissions(model.policy, {}).verdict(object, { args: {}, now: new Date() })
    expect(verdict.holds).toHaveLength(1)
  })

  it('is denied when nobody decides in time', async () => {
    const params = { uri: 'bank+doc://secret' }
    const refused = call('', params, { method: 'resources/read', session: 's' })
    expect(textOf(await refused)).toContain('nobody approved it in time')
  })
})

describe('a caller that waits on its connection', () => {
  it('hears so by progress, and gets the result', async () => {
    const heard: JsonObject[] = []
    const exchange = liveExchange(
      'tools/call',
      { name: 'bank_refund', arguments: { amount: 700 }, _meta: { progressToken: 7 } },
      { auth: keyOf(`caller-${caller}`), session: 's', notify: ({ params }) => void heard.push(params!) },
    )
    const answer = gateway.endpoint()!.respond(exchange)
    await waiting()
    expect(heard[0]).toMatchObject({ progressToken: 7, message: expect.stringContaining('group:leads') })
    await decide(true)
    expect(textOf((await answer) as Outcome)).toContain('refunded')
  })

  it('is told when it is refused', async () => {
    const answer = call('refund', { amount: 700 }, { session: 's' })
    await decide(false, OPERATOR, 'No.')
    expect(textOf(await answer)).toContain('The reason given is: No.')
  })

  it('needs an approval for each of two equal calls', async () => {
    const answers = ['a', 'b'].map((session) => call('refund', { amount: 700 }, { session }))
    await decide(true)
    await Promise.race(answers)
    expect(calls).toHaveLength(1)
    await decide(true)
    await Promise.all(answers)
    expect(calls).toHaveLength(2)
  })

  it('ends when the policy changes: the call is not made, and can be repeated', async () => {
    const bench = await chainBench({ bank: app }, CONFIG)
    const exchange = liveExchange(
      'tools/call',
      { name: 'bank_refund', arguments: { amount: 700 } },
      { auth: keyOf('ann'), session: 's' },
    )
    const answer = bench.gateway.endpoint()!.respond(exchange)
    while ((await bench.gateway.approvals.list()).length === 0) await new Promise(setImmediate)
    const [parked] = await bench.gateway.approvals.list()
    const rules = POLICY.rules.map((rule) => ({ ...rule, message: 'new' }))
    const targets = { mcpServers: { bank: { module: 'bank' } } }
    await bench.gateway.apply(await modelOf({ ...targets, ...CONFIG, policy: { rules } }))
    expect(textOf((await answer) as Outcome)).toContain('the policy has changed')
    expect(await bench.gateway.approvals.list()).toEqual([])
    expect(await bench.gateway.approvals.decide(parked!.id, { approved: true }, OPERATOR)).toBe('policy')
    expect(calls).toEqual([])
  })
})

describe('an approval that was given under another policy', () => {
  it('is not taken, not even by its own name, and the call has to be approved anew', async () => {
    const bench = await chainBench({ bank: app }, CONFIG)
    const { approvals } = bench.gateway
    const refund = () =>
      bench.gateway
        .endpoint()!
        .respond(
          liveExchange(
            'tools/call',
            { name: 'bank_refund', arguments: { amount: 700 } },
            { auth: keyOf('ann') },
          ),
        )
    const change = async (message: string) => {
      const rules = POLICY.rules.map((rule) => ({ ...rule, message }))
      await bench.gateway.apply(
        await modelOf({ mcpServers: { bank: { module: 'bank' } }, ...CONFIG, policy: { rules } }),
      )
    }
    expect(textOf((await refund()) as Outcome)).toContain('Large refunds need a lead.')
    const [asked] = await approvals.list()
    expect(await approvals.decide(asked!.id, { approved: true }, OPERATOR)).toMatchObject({
      state: 'approved',
    })
    await change('new')
    expect(await approvals.take(asked!.id)).toBeUndefined()
    expect(textOf((await refund()) as Outcome)).not.toContain('refunded')
    expect(calls).toEqual([])
    const [again] = await approvals.list()
    expect(again).toMatchObject({ state: 'pending' })
    expect(again!.id).not.toBe(asked!.id)
    await approvals.decide(again!.id, { approved: true }, OPERATOR)
    expect(textOf((await refund()) as Outcome)).toContain('refunded')
    expect(calls).toHaveLength(1)
  })
})

describe('a caller that can open addresses', () => {
  it('gets the address of the page, and waits when it comes back', async () => {
    const asked = (await call('refund', { amount: 800 }, { capabilities: URLS })) as InputRequired
    expect(asked.inputRequests!['gantry-approval']).toMatchObject({
      method: 'elicitation/create',
      params: { mode: 'url', url: expect.stringContaining('/console/approvals?id=') },
    })
    const more = {
      requestState: asked.requestState,
      inputResponses: { 'gantry-approval': { action: 'accept' } },
    }
    const answer = call('refund', { amount: 800 }, { capabilities: URLS, more })
    await decide(true)
    expect(textOf(await answer)).toContain('refunded')
    await expect(call('refund', { amount: 800 }, { capabilities: URLS, more })).resolves.toMatchObject({
      type: 'error',
      error: { code: -32602 },
    })
  })

  it('is told to repeat the call when it declines to wait', async () => {
    const asked = (await call('refund', { amount: 800 }, { capabilities: URLS })) as InputRequired
    const more = {
      requestState: asked.requestState,
      inputResponses: { 'gantry-approval': { action: 'decline' } },
    }
    expect(textOf(await call('refund', { amount: 800 }, { capabilities: URLS, more }))).toContain(
      'Repeat the call',
    )
  })
})

describe('a caller that follows tasks', () => {
  const follow = async (taskId: unknown, until: (task: JsonObject) => boolean): Promise<JsonObject> => {
    for (;;) {
      const outcome = await call('', { taskId }, { method: 'tasks/get', capabilities: { ...TASKS, ...FORM } })
      const task = (outcome as { result: JsonObject }).result
      if (until(task)) return task
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const parked = async (tool: string, args: JsonObject = {}): Promise<JsonObject> => {
    const outcome = await call(tool, args, { capabilities: { ...TASKS, ...FORM } })
    expect(outcome.type).toBe('task')
    return (outcome as { task: JsonObject }).task
  }

  it('gets a task, which makes the call when it is approved', async () => {
    const { taskId, status, statusMessage } = await parked('refund', { amount: 900 })
    expect(status).toBe('working')
    expect(statusMessage).toContain('group:leads')
    expect((await follow(taskId, () => true)).status).toBe('working')
    await decide(true)
    const task = await follow(taskId, (one) => one.status === 'completed')
    expect(task).toMatchObject({ taskId, result: { content: [{ text: 'refunded' }] } })
    expect(calls).toHaveLength(1)
    expect(await follow(taskId, () => true)).toMatchObject({ status: 'completed' })
    expect(calls).toHaveLength(1)
  })

  it('finds the reason in the task when it is refused', async () => {
    const { taskId } = await parked('refund', { amount: 900 })
    await decide(false, OPERATOR, 'No.')
    const { result, status } = await follow(taskId, () => true)
    expect(status).toBe('completed')
    expect(JSON.stringify(result)).toContain('The reason given is: No.')
  })

  it('answers what the target asks through the task', async () => {
    const { taskId } = await parked('ask')
    await decide(true)
    const { inputRequests } = await follow(taskId, (one) => one.status === 'input_required')
    const [key] = Object.keys(inputRequests as object)
    const inputResponses = { [key!]: { action: 'accept', content: { confirmed: true } } }
    await call(
      '',
      { taskId, inputResponses },
      { method: 'tasks/update', capabilities: { ...TASKS, ...FORM } },
    )
    const { result } = await follow(taskId, (one) => one.status === 'completed')
    expect(JSON.stringify(result)).toContain('yes')
  })

  it('withdraws its request by cancelling', async () => {
    const { taskId } = await parked('refund', { amount: 900 })
    await call('', { taskId }, { method: 'tasks/cancel', capabilities: TASKS })
    const own = (await gateway.approvals.list()).filter(
      (one) => one.principal?.subject === `caller-${caller}`,
    )
    expect(own).toEqual([])
  })

  it('is the only one who finds it', async () => {
    const { taskId } = await parked('refund', { amount: 900 })
    const foreign = { method: 'tasks/get', capabilities: TASKS, as: 'eve' }
    expect(await call('', { taskId }, foreign)).toMatchObject({ type: 'error' })
  })
})

describe('questions of an approved call', () => {
  it('belong to that call, once', async () => {
    await call('ask', {}, { capabilities: FORM })
    await decide(true)
    const asked = (await call('ask', {}, { capabilities: FORM })) as InputRequired
    expect(asked.type).toBe('input_required')
    const [key] = Object.keys(asked.inputRequests!)
    const inputResponses = { [key!]: { action: 'accept', content: { confirmed: true } } }
    const more = { requestState: asked.requestState, inputResponses }
    expect(textOf(await call('ask', { other: 1 }, { capabilities: FORM, more }))).toContain('requestState')
    expect(calls).toEqual([])
  })

  it('are answered without a second approval', async () => {
    await call('ask', {}, { capabilities: FORM })
    await decide(true)
    const asked = (await call('ask', {}, { capabilities: FORM })) as InputRequired
    const [key] = Object.keys(asked.inputRequests!)
    const inputResponses = { [key!]: { action: 'accept', content: { confirmed: true } } }
    const more = { requestState: asked.requestState, inputResponses }
    expect(textOf(await call('ask', {}, { capabilities: FORM, more }))).toContain('yes')
    expect(textOf(await call('ask', {}, { capabilities: FORM, more }))).toContain('requestState')
    expect(calls).toEqual([true])
  })
})

describe('a call that its caller has to confirm', () => {
  const answerOf = (asked: InputRequired, content: unknown, action = 'accept'): JsonObject => ({
    requestState: asked.requestState,
    inputResponses: { 'gantry-confirm': { action, content } },
  })

  it('is made when the caller says so, once', async () => {
    const asked = (await call('close', {}, { capabilities: FORM })) as InputRequired
    expect(asked.inputRequests!['gantry-confirm']!.params!.message).toBe('Really close the account?')
    expect(calls).toEqual([])
    const more = answerOf(asked, { confirmed: true })
    expect(textOf(await call('close', {}, { capabilities: FORM, more }))).toContain('closed')
    expect(textOf(await call('close', {}, { capabilities: FORM, more }))).toContain('requestState')
    expect(calls).toEqual(['close'])
  })

  it.each([
    ['says no', { confirmed: false }, 'accept'],
    ['declines', undefined, 'decline'],
    ['answers something else', { confirmed: 'true' }, 'accept'],
  ])('is not made when the caller %s', async (_, content, action) => {
    const asked = (await call('close', {}, { capabilities: FORM })) as InputRequired
    const more = answerOf(asked, content, action)
    expect(textOf(await call('close', {}, { capabilities: FORM, more }))).toContain('did not confirm it')
    expect(calls).toEqual([])
  })

  it('is not made with other arguments than those that were confirmed', async () => {
    const asked = (await call('close', { id: 1 }, { capabilities: FORM })) as InputRequired
    const more = answerOf(asked, { confirmed: true })
    expect(textOf(await call('close', { id: 2 }, { capabilities: FORM, more }))).toContain('requestState')
    expect(calls).toEqual([])
  })

  it('is not made without the question', async () => {
    const more = { inputResponses: { 'gantry-confirm': { action: 'accept', content: { confirmed: true } } } }
    expect((await call('close', {}, { capabilities: FORM, more })).type).toBe('input_required')
    expect(textOf(await call('close'))).toContain('lacks the capability \\"elicitation\\"')
    expect(calls).toEqual([])
  })
})

it('a gateway without such rules has no such link', async () => {
  const model = await modelOf({ policy: { rules: [{ deny: ['tools:bank/none'] }] } })
  expect(approvalLink(model, gateway as never)).toBeUndefined()
})
