import { describe, expect, it } from 'vitest'
import type { Script } from '../exchange/client/client-edge-peer.test.support.ts'
import { Client } from './client.ts'
import { ToolDirectory } from './tool-directory.ts'
import { scripted } from './scripted-connector.test.support.ts'

const regional = {
  name: 'regional',
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      where: { type: 'object', properties: { floor: { type: 'integer', 'x-mcp-header': 'Floor' } } },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
    },
  },
}
const invalid = {
  name: 'invalid',
  inputSchema: { type: 'object', properties: { x: { type: 'number', 'x-mcp-header': 'X' } } },
}
const counting = {
  name: 'counting',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
}

const serving =
  (call: Script): Script =>
  (turn) =>
    turn.request.method === 'tools/list' ? { tools: [regional, invalid, counting] } : call(turn)

describe('parameters in headers', () => {
  it('are sent over modern HTTP for tools that were listed', async () => {
    const connector = scripted(
      'modern',
      serving(() => ({ content: [] })),
      { kind: 'http' },
    )
    await using client = new Client({ connector })
    await client.listTools().all()
    await client.call('regional', { region: 'eu ', where: { floor: 3 }, dry: null })
    expect(connector.peer.headers.at(-1)).toEqual({ 'mcp-param-region': 'eu ', 'mcp-param-floor': '3' })
    await client.call('unknown', { region: 'eu' })
    expect(connector.peer.headers.at(-1)).toBeUndefined()
  })

  it('tools with invalid annotations are left out over HTTP, with a warning, and kept elsewhere', async () => {
    const names = async (kind: 'http' | 'stdio') => {
      await using client = new Client({
        connector: scripted(
          'modern',
          serving(() => ({})),
          { kind },
        ),
      })
      const warnings: string[] = []
      client.on('warning', ({ message }) => warnings.push(message))
      const tools = await client.listTools().all()
      return { names: tools.map(({ name }) => name), warnings }
    }
    const http = await names('http')
    expect(http.names).toEqual(['regional', 'counting'])
    expect(http.warnings).toEqual([expect.stringContaining('invalid')])
    expect((await names('stdio')).names).toEqual(['regional', 'invalid', 'counting'])
  })

  it('a header mismatch lists the tools again and tries once more', async () => {
    const connector = scripted(
      'modern',
      serving(() =>
        connector.peer.headers.at(-1)
          ? { content: [] }
          : { error: { code: -32020, message: 'Header mismatch' } },
      ),
      { kind: 'http' },
    )
    await using client = new Client({ connector })
    await client.call('regional', { region: 'eu' })
    expect(connector.peer.methods).toEqual(['server/discover', 'tools/call', 'tools/list', 'tools/call'])
    await expect(client.call('unknown')).rejects.toMatchObject({ code: -32020 })
  })
})

describe.each(['modern', 'legacy'] as const)('structured output of a %s server', (era) => {
  const results: Record<string, object> = {
    good: { content: [], structuredContent: { n: 1 } },
    bad: { content: [], structuredContent: { n: 'one' } },
    none: { content: [] },
    failed: { content: [], isError: true },
  }
  const connect = (options = {}) =>
    new Client({
      connector: scripted(
        era,
        serving(({ request }) => results[String((request.params?.arguments as { r?: string })?.r)]),
      ),
      ...options,
    })

  it('is checked against the schema once the tool is known', async () => {
    await using client = connect()
    await client.call('counting', { r: 'bad' })
    await client.listTools().all()
    await client.call('counting', { r: 'good' })
    await client.call('counting', { r: 'failed' })
    await expect(client.call('counting', { r: 'bad' })).rejects.toMatchObject({ code: 'invalid_output' })
    await expect(client.call('counting', { r: 'none' })).rejects.toMatchObject({ code: 'invalid_output' })
    await expect(client.start('counting', { r: 'bad' })).rejects.toMatchObject({ code: 'invalid_output' })
  })

  it('is not when that is switched off', async () => {
    await using client = connect({ validateOutput: false })
    await client.listTools().all()
    await client.call('counting', { r: 'bad' })
  })
})

it('does not remember more tools than any server has', () => {
  const directory = new ToolDirectory()
  for (let round = 0; round < 6; round++) {
    directory.learn(Array.from({ length: 10_000 }, (_, index) => ({ name: `made-up-${round}-${index}` })))
  }
  expect(directory.size).toBe(50_000)
})
