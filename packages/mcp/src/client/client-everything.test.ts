import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stdio } from '../entries/client.node.ts'
import { connect, EraCache } from '../entries/client.ts'

const require = createRequire(import.meta.url)

function published(name: string, ...args: string[]) {
  const script = require.resolve(`${name}/dist/index.js`)
  return stdio({ command: process.execPath, args: [script, ...args] })
}

describe('published servers over stdio', () => {
  it('server-everything: every primitive, and what it asks of clients', async () => {
    await using client = await connect(published('@modelcontextprotocol/server-everything', 'stdio'), {
      eras: new EraCache(),
      roots: [{ uri: 'file:///workspace', name: 'Workspace' }],
      sample: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'sampled' } }),
      elicit: { form: () => ({ action: 'decline' }), url: () => ({ action: 'accept' }) },
    })
    expect(client).toMatchObject({ era: 'legacy', connected: true })
    expect(client.instructions).toBeTypeOf('string')
    expect((await client.call('echo', { message: 'hi' })).text()).toContain('hi')
    expect((await client.call('get-sum', { a: 2, b: 3 })).text()).toContain('5')
    const tools = await client.listTools().all()
    expect(tools.length).toBeGreaterThan(10)
    const structured = await client.call('get-structured-content', { location: 'New York' })
    expect(structured.json()).toHaveProperty('temperature')
    const sampled = await client.call('trigger-sampling-request', { prompt: 'x', maxTokens: 5 })
    expect(sampled.text()).toContain('sampled')
    expect((await client.call('trigger-elicitation-request', {})).text()).toMatch(/declin/i)
    const progress: number[] = []
    const work = { duration: 1, steps: 4 }
    const onProgress = (step: { progress: number }) => void progress.push(step.progress)
    await client.call('trigger-long-running-operation', work, { onProgress })
    expect(progress).toEqual([1, 2, 3, 4])
    const [resource] = await client.listResources().all()
    expect((await client.readResource(String(resource?.uri))).contents).toHaveLength(1)
    expect((await client.listResourceTemplates().all()).length).toBeGreaterThan(0)
    expect((await client.getPrompt('simple-prompt')).messages.length).toBeGreaterThan(0)
    const ref = { type: 'ref/prompt', name: 'completable-prompt' } as const
    const completion = await client.complete(ref, { name: 'department', value: 'E' })
    expect(completion.values).toContain('Engineering')
  })

  it('server-filesystem: roots and files', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'files-')))
    await writeFile(join(folder, 'a.txt'), 'hello')
    try {
      await using client = await connect(published('@modelcontextprotocol/server-filesystem', folder), {
        eras: new EraCache(),
      })
      expect((await client.call('read_text_file', { path: join(folder, 'a.txt') })).text()).toBe('hello')
      const outside = await client.call('read_text_file', { path: '/etc/hostname' })
      expect(outside.isError).toBe(true)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
