import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../scripts/lib/free-port.mjs'
import { ensurePrometheus } from '../../scripts/lib/prometheus.mjs'
import { startReceiver } from '../support/otel/receiver.mjs'
import { modernRequest } from '../support/raw-client.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const META = fileURLToPath(new URL('../fixtures/meta-server.mjs', import.meta.url))
const deployed = (path: string) => fileURLToPath(new URL(`../../deploy/${path}`, import.meta.url))

let tools: { prometheus: string; promtool: string }
let gateway: TestGateway
let receiver: Awaited<ReturnType<typeof startReceiver>>
beforeAll(async () => {
  tools = await ensurePrometheus()
  receiver = await startReceiver()
  gateway = await testGateway({
    mcpServers: { meta: { command: process.execPath, args: [META] } },
    telemetry: { otlp: { endpoint: receiver.url } },
  })
  for (const name of ['meta_meta', 'meta_fail', 'meta_none'])
    await modernRequest(gateway.endpoint, 'tools/call', { name })
}, 660_000)
afterAll(async () => {
  await gateway?.close()
  await receiver?.close()
})

const scrape = async (accept = '*/*') =>
  (await fetch(`${gateway.url}/metrics`, { headers: { accept } })).text()

it('is text that promtool has nothing to say about', async () => {
  const input = await scrape()
  for (const name of [
    'gantry_requests_in_flight 0',
    'gantry_requests_queued 0',
    'gantry_calls_parked 0',
    'gantry_streams 0',
    'gantry_limit{of="sessions"}',
    'gantry_request_errors_total{class="tool"} 1',
    'gantry_request_errors_total{class="caller"} 1',
    'gantry_target_requests_in_flight{target="meta"} 0',
    'gantry_target_failures{target="meta"} 0',
    'gantry_target_processes{target="meta"} 1',
    'gantry_target_memory_bytes{target="meta"}',
    'gantry_target_catalog_age_seconds{target="meta"}',
    'gantry_event_loop_delay_seconds{stat="p99"}',
    'mcp_server_operation_duration_seconds_count{',
  ])
    expect(input).toContain(name)
  // Callers make names up.
  expect(input).not.toContain('meta_none')
  const checked = spawnSync(tools.promtool, ['check', 'metrics'], { input, encoding: 'utf8' })
  expect([checked.status, checked.stdout + checked.stderr]).toEqual([0, ''])
})

it('has exemplars that name a trace, for readers who take OpenMetrics', async () => {
  const text = await scrape('application/openmetrics-text;version=1.0.0')
  expect(text.trimEnd()).toMatch(/# EOF$/)
  const [, trace] = /mcp_server_operation_duration_seconds_bucket\{.*# \{trace_id="([0-9a-f]{32})"/.exec(
    text,
  )!
  expect(trace).toHaveLength(32)
})

it('is scraped by Prometheus, which takes the alerts and every query of the dashboard', async () => {
  const rules = deployed('prometheus/rules.yaml')
  const checked = spawnSync(tools.promtool, ['check', 'rules', rules], { encoding: 'utf8' })
  expect([checked.status, checked.stderr]).toEqual([0, ''])
  const folder = await mkdtemp(join(tmpdir(), 'gantry-prometheus-'))
  const port = await freePort()
  const config = join(folder, 'prometheus.yml')
  const { host } = new URL(gateway.url)
  await writeFile(
    config,
    JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [rules],
      scrape_configs: [{ job_name: 'gantry', static_configs: [{ targets: [host] }] }],
    }),
  )
  const args = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]
  const child = spawn(tools.prometheus, args, { stdio: 'ignore' })
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)).json()
  const query = (expr: string) => ask(`query?query=${encodeURIComponent(expr)}`)
  try {
    const seen = async () => {
      const answer = await query('gantry_target_requests_total{target="meta"}').catch(() => undefined)
      return answer?.data?.result?.[0]?.value?.[1]
    }
    await expect.poll(seen, { timeout: 60_000, interval: 200 }).toBe('2')
    const { data } = await ask('rules')
    expect(data.groups[0].rules.length).toBeGreaterThan(5)
    const { panels } = JSON.parse(await readFile(deployed('grafana/gantry.json'), 'utf8'))
    for (const { expr } of panels.flatMap((panel: { targets: { expr: string }[] }) => panel.targets)) {
      const asked = expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*')
      expect([expr, (await query(asked)).status]).toEqual([expr, 'success'])
      // A metric that does not exist is an empty answer, and would never be noticed.
      for (const [name] of asked.matchAll(/\b(gantry|process)_[a-z_]+/g))
        await expect
          .poll(async () => (await query(name)).data.result.length, { message: name })
          .toBeGreaterThan(0)
    }
    expect((await ask('targets')).data.activeTargets[0].health).toBe('up')
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
    await rm(folder, { recursive: true, force: true })
  }
})
