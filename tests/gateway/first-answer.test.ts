import { afterEach, describe, expect, it } from 'vitest'
import { legacyRequest, modernRequest, openSession } from '../support/raw-client.ts'
import { scriptedTarget, type ScriptedTarget } from '../support/scripted-target.ts'
import { testGateway } from '../support/start-gateway.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A server that takes long to start: nothing is answered before `start` is called. */
async function slowTarget(): Promise<ScriptedTarget & { start(): void }> {
  let start = () => {}
  const started = new Promise<void>((resolve) => {
    start = resolve
  })
  const target = await scriptedTarget({
    'server/discover': async () => {
      await started
      return {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {}, prompts: {}, resources: {} },
        ttlMs: 0,
        cacheScope: 'private',
      }
    },
    'prompts/list': () => ({ prompts: [{ name: 'greet' }] }),
    'prompts/get': () => ({ messages: [] }),
    'resources/list': () => ({ resources: [{ uri: 'note://one', name: 'one' }] }),
    'resources/read': () => ({ contents: [], ttlMs: 0, cacheScope: 'private' }),
  })
  closing.push(() => target.close())
  return Object.assign(target, { start })
}

const QUESTIONS = [
  ['tools/call', { name: 'echo', arguments: {} }],
  ['prompts/get', { name: 'greet' }],
  ['resources/read', { uri: 'note://one' }],
] as const

describe.each(['legacy', 'modern'] as const)('a %s client', (era) => {
  it.each(QUESTIONS)(
    'whose %s comes while a server without a prefix still starts gets its answer',
    async (method, params) => {
      const target = await slowTarget()
      const gateway = await testGateway({
        mcpServers: { a: { url: target.url, prefix: false } },
        catalog: { deadline: '50ms' },
      })
      closing.push(() => gateway.close())
      const { endpoint } = gateway
      const session = era === 'legacy' ? await openSession(endpoint) : ''
      const ask = (name: string, more?: Record<string, unknown>) =>
        era === 'legacy'
          ? legacyRequest(endpoint, name, more, { session })
          : modernRequest(endpoint, name, more)
      // The list did not wait for it.
      expect((await ask('tools/list')).message.result.tools).toEqual([])
      const answer = ask(method, params)
      // Another request makes the round trip meanwhile, so an answer that waits for nothing would be there.
      await ask('tools/list')
      target.start()
      expect((await answer).message.result).toBeDefined()
    },
  )

  /** The endpoint of one target, and how this client asks there. */
  async function own(target: object, catalog: object) {
    const gateway = await testGateway({ mcpServers: { a: target }, catalog })
    closing.push(() => gateway.close())
    const endpoint = `${gateway.endpoint}/a`
    const session = era === 'legacy' ? await openSession(endpoint) : ''
    return (method: string, params?: Record<string, unknown>) =>
      era === 'legacy'
        ? legacyRequest(endpoint, method, params, { session })
        : modernRequest(endpoint, method, params)
  }

  it('waits for a slow server at its own endpoint, where no other target is kept waiting', async () => {
    const target = await slowTarget()
    const ask = await own({ url: target.url }, { deadline: '50ms' })
    let answered = 0
    const answers = [['prompts/list', {}] as const, ...QUESTIONS].map(async ([method, params]) => {
      const { message } = await ask(method, params)
      answered += 1
      return message.result
    })
    // Another request makes its round trip and waits for the deadline, so an answer that waits no longer would be there.
    await ask('server/discover')
    expect(answered).toBe(0)
    target.start()
    const [list, ...others] = await Promise.all(answers)
    expect(list).toMatchObject({ prompts: [{ name: 'greet' }] })
    for (const result of others) expect(result).toBeDefined()
  })

  it.each(QUESTIONS)('whose %s comes to a server that does not start learns that', async (method, params) => {
    const ask = await own({ command: process.execPath, args: ['-e', 'process.exit(3)'] }, {})
    const { error } = (await ask(method, params)).message
    expect(error.message).toMatch(/"a"/)
    expect(error.data.target).toBe('a')
  })
})
