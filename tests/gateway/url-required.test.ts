import { afterEach, describe, expect, it } from 'vitest'
import { connect, http, type Client } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'
import type { Connector } from '@gantry/mcp/exchange'
import { rawTarget } from '../support/raw-target.ts'
import { testGateway } from '../support/start-gateway.ts'

const closing: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function open(connector: Connector, era: 'legacy' | 'modern', asked: string[]): Promise<Client> {
  const client = await connect(connector, {
    era,
    elicit: ({ message }) => {
      asked.push(message)
      return { action: 'accept' }
    },
  })
  closing.push(() => client.close())
  return client
}

async function throughGateway(): Promise<Connector> {
  const gateway = await testGateway({ mcpServers: { raw: rawTarget() } })
  closing.push(() => gateway.close())
  return http(gateway.endpoint)
}

async function direct(): Promise<Connector> {
  const { command, args } = rawTarget() as { command: string; args: string[] }
  return stdio(command, args)
}

describe.each([
  ['a legacy client through the gateway', 'legacy', throughGateway, 'raw_gated'],
  ['a modern client through the gateway', 'modern', throughGateway, 'raw_gated'],
  ['a client that is connected directly', 'legacy', direct, 'gated'],
] as const)('URL elicitation required, for %s', (_who, era, connectorOf, tool) => {
  it('is asked once, and goes on when the server says that the page is done', async () => {
    const asked: string[] = []
    const client = await open(await connectorOf(), era, asked)
    expect((await client.call(tool, { ms: 1500 })).text()).toBe('through after 2')
    expect(asked).toEqual(['Sign in'])
  })

  it('is asked once, and goes on when the server says nothing', async () => {
    const asked: string[] = []
    const client = await open(await connectorOf(), era, asked)
    expect((await client.call(tool, { ms: 1200, silent: true })).text()).toBe('through after 2')
    expect(asked).toEqual(['Sign in'])
  })
})
