import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'

const running: ChildProcess[] = []
afterEach(() => {
  for (const child of running.splice(0)) child.kill()
})

async function serve(example: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [`examples/${example}`, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.push(child)
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return line.replace('Listening on ', '')
}

describe.each(['modern', 'legacy'] as const)('examples with a %s client', (era) => {
  it('echo-server.mjs serves on stdio and over HTTP', async () => {
    for (const target of [
      stdio('node', ['examples/echo-server.mjs', 'stdio']),
      await serve('echo-server.mjs', 'http', '0'),
    ]) {
      await using client = await connect(target, { era })
      expect((await client.call('echo', { text: 'hello' })).text()).toBe('hello')
    }
  })

  it('notes-server.mjs asks, samples, reports and changes', async () => {
    await using client = await connect(stdio('node', ['examples/notes-server.mjs', 'stdio']), {
      era,
      elicit: () => ({ action: 'accept', content: { region: 'eu' } }),
      sample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'Short.' } }),
      roots: [{ uri: 'file:///home' }],
    })
    expect((await client.call('publish', { id: 'welcome' })).json()).toEqual({
      public: true,
      url: 'https://eu.notes.example/welcome',
    })
    expect((await client.call('summarise', { id: 'welcome' })).text()).toBe('Short.')
    expect((await client.call('where')).text()).toBe('file:///home')
    const progress: number[] = []
    await client.call('reindex', {}, { onProgress: (update) => progress.push(update.progress) })
    expect(progress).toEqual([0, 1])
    await client.call('add', { id: 'new', title: 'New', text: 'new text' })
    const { contents } = await client.readResource('notes://note/new')
    expect(contents[0]?.text).toBe('new text')
    expect((await client.call('show')).content).toHaveLength(5)
    expect((await client.call('publish', { id: 'none' })).text()).toContain('There is no note "none"')
  })
})

it('web-controller.mjs keeps users apart and answers notifications with 202', async () => {
  const url = await serve('web-controller.mjs', '0')
  const post = (body: object, user: string): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { 'x-user': user },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    })
  const users = ['ada', 'bob', 'cyd']
  const replies = await Promise.all(
    users.map((user) => post({ id: 1, method: 'tools/call', params: { name: 'whoami' } }, user)),
  )
  const texts = await Promise.all(replies.map(async (reply) => (await reply.json()).result.content[0].text))
  expect(texts).toEqual(users.map((user) => `You are ${user}`))
  const notified = await post({ method: 'notifications/initialized' }, 'ada')
  expect([notified.status, await notified.text()]).toEqual([202, ''])
})
