import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const require = createRequire(import.meta.url)
const EVERYTHING = join(
  require.resolve('@modelcontextprotocol/server-everything/package.json'),
  ...['..', 'dist', 'index.js'],
)
const server = { command: process.execPath, args: [EVERYTHING, 'stdio'] }

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway({
    mcpServers: { ev: server, left: { ...server, resources: { exclude: ['demo://resource/static/*'] } } },
    policy: { rules: [{ deny: ['resources:ev/demo://resource/static/*'] }] },
  })
})
afterAll(() => gateway.close())

const DENIED = 'demo://resource/static/document/features.md'
const SPELLINGS = [
  DENIED,
  'demo://resource/./static/document/features.md',
  'demo://resource/x/../static/document/features.md',
  'DEMO://resource/static/document/features.md',
  'demo://resource/%2e/static/document/features.md',
  'demo://resource/x/%2E%2e/static/document/features.md',
]

describe.each([
  ['the policy denies', 'ev'],
  ['the configuration leaves out', 'left'],
])('of the resources that %s, an official server', (_what, target) => {
  it.each(SPELLINGS)('is not asked for %s', async (spelling) => {
    for (const [url, uri] of [
      [gateway.endpoint, `${target}+${spelling}`],
      [`${gateway.endpoint}/${target}`, spelling],
    ] as const) {
      await using client = await connect(url)
      await expect(client.readResource(uri)).rejects.toThrow(`Resource not found: ${uri}`)
    }
  })

  it('serves the others, however they are written', async () => {
    await using client = await connect(gateway.endpoint)
    for (const uri of ['demo://resource/dynamic/text/1', 'DEMO://resource/x/../dynamic/./text/1']) {
      const { contents } = await client.readResource(`${target}+${uri}`)
      expect(contents).toHaveLength(1)
    }
    const listed = (await client.listResources().all()).map((one) => one.uri)
    expect(listed.filter((uri) => uri.startsWith(`${target}+`)).join()).not.toContain('/static/')
  })
})
