import { afterEach, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
import { Server, tool, ToolError } from '@gantry/mcp/server'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

let gateway: TestGateway | undefined
afterEach(() => gateway?.close())

const app = new Server({
  name: 'app',
  tools: {
    fine: tool({ run: () => 'fine' }),
    bad: tool({
      run: () => {
        throw new ToolError('bad')
      },
    }),
  },
})

async function start(config: Record<string, unknown> = {}): Promise<TestGateway> {
  gateway = await testGateway(
    { mcpServers: { 'a"b': { module: 'app' } }, ...config },
    { embedded: new Map([['app', app]]) },
  )
  return gateway
}

/** Samples by name and labels. */
async function scrape({ url }: TestGateway): Promise<Map<string, number>> {
  const response = await fetch(`${url}/metrics`)
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const lines = (await response.text()).trimEnd().split('\n')
  const samples = lines.filter((line) => line !== '' && !line.startsWith('#'))
  for (const line of samples)
    expect(line).toMatch(/^[a-z_]+(\{[a-z]+="(\\.|[^"\\])*"(,[a-z]+="(\\.|[^"\\])*")*\})? [\d.e+-]+$/)
  return new Map(
    samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  )
}

it('counts requests, errors and times of each target', async () => {
  const running = await start()
  await using client = await connect(running.endpoint)
  await client.call('a-b_fine')
  await client.call('a-b_bad')
  const found = await scrape(running)
  const target = 'target="a\\"b"'
  expect(found.get(`gantry_target_up{${target},state="ready"}`)).toBe(1)
  expect(found.get(`gantry_target_requests_total{${target}}`)).toBe(2)
  expect(found.get(`gantry_target_errors_total{${target}}`)).toBe(1)
  expect(found.get(`gantry_target_request_duration_seconds_count{${target}}`)).toBe(2)
  expect(found.get(`gantry_target_request_duration_seconds_bucket{${target},le="+Inf"}`)).toBe(2)
  expect(found.get(`gantry_target_request_duration_seconds_bucket{${target},le="60"}`)).toBe(2)
  expect(found.get('gantry_requests_total')).toBeGreaterThanOrEqual(2)
  expect(found.get('process_resident_memory_bytes')).toBeGreaterThan(1e7)
})

it('are for those who may read them, where there are keys, and never for other sites', async () => {
  const keys = ['gantry:metrics', 'tools'].map((scope) => {
    return { name: scope.replace(':', '-'), key: scope.repeat(4).padEnd(40, 'x'), scopes: [scope] }
  })
  const { url } = await start({ auth: { apiKeys: keys } })
  const status = async (headers: Record<string, string>) =>
    (await fetch(`${url}/metrics`, { headers })).status
  expect(await status({})).toBe(401)
  expect(await status({ authorization: `Bearer ${keys[1]!.key}` })).toBe(403)
  expect(await status({ authorization: `Bearer ${keys[0]!.key}` })).toBe(200)
  expect(await status({ authorization: `Bearer ${keys[0]!.key}`, origin: 'https://evil.example' })).toBe(403)
})
