// Client of the Python SDK → gateway → server on stdio, with a real OpenTelemetry Collector: one trace.
import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkMetrics, checkSpans } from '../../tests/support/otel/check-spans.mjs'
import { startReceiver } from '../../tests/support/otel/receiver.mjs'
import { freePort } from '../lib/free-port.mjs'
import { ROOT } from '../lib/paths.mjs'
import { run } from '../lib/processes.mjs'

const HOME = join(ROOT, 'node_modules', '.cache', 'gantry', 'interop', 'otel')
const FILES = join(ROOT, 'scripts', 'interop', 'otel')
const COLLECTOR = 'v0.162.0'
const MODULES = ['otelcol', 'receiver/otlpreceiver', 'exporter/otlphttpexporter']

/** Returns how many things are wrong. */
export async function proveOtel() {
  mkdirSync(HOME, { recursive: true })
  const [collector, python] = [await buildCollector(), await installPython()]
  const receiver = await startReceiver()
  const children = []
  try {
    const otlp = await startCollector(collector, receiver.url, children)
    const gateway = await startGateway(otlp, children)
    await must(python, ['-B', join(FILES, 'client.py'), `${gateway}/mcp`, otlp])
    await waitFor(() =>
      receiver.spans.some(({ service, name }) => service === 'node-server' && name.includes('fail')),
    )
    // The gateway sends what is left when it stops.
    await stop(children.pop())
    await waitFor(() =>
      receiver.spans.some(({ service, name }) => service === 'gantry' && name.includes('fail')),
    )
    await waitFor(() => receiver.metrics.length > 0)
    return report(receiver)
  } finally {
    for (const child of children.reverse()) await stop(child)
    await receiver.close()
  }
}

function report({ spans, metrics }) {
  const ours = spans.filter(({ service }) => service !== 'python-client')
  const problems = [
    ...checkSpans(ours),
    ...checkMetrics(metrics),
    ...['add', 'fail'].flatMap((tool) => problemsOfTrace(spans, tool)),
  ]
  const names = new Set(metrics.map(({ name }) => name))
  for (const name of ['mcp.server.operation.duration', 'mcp.client.operation.duration'])
    if (!names.has(name)) problems.push(`${name} did not arrive`)
  for (const problem of problems) console.log(`✗ ${problem}`)
  if (problems.length === 0)
    console.log(`✓ one trace over three hops, ${spans.length} spans at the collector`)
  return problems.length
}

/** From the server back to the client, each span has the one before it as its parent. */
function problemsOfTrace(spans, tool) {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const last = spans.find(
    ({ service, kind, name }) =>
      service === 'node-server' && kind === 'SERVER' && name === `tools/call ${tool}`,
  )
  if (!last) return [`the server made no span of ${tool}`]
  const way = []
  for (let span = last; span; span = byId.get(span.parentId))
    way.unshift(`${span.service} ${span.kind} ${span.name}`)
  const found = way.join(' → ')
  console.log(`  ${found}`)
  const expected = [
    /^python-client INTERNAL the whole$/,
    /^python-client CLIENT .*notes_/,
    /^gantry SERVER tools\/call notes_/,
    /^gantry CLIENT tools\/call /,
    /^node-server SERVER tools\/call /,
  ]
  const isWhole = way.length === expected.length && way.every((step, at) => expected[at].test(step))
  return isWhole ? [] : [`${tool} is not one trace: ${found}`]
}

/** A collector of the official Go modules, with the parts that are needed here. */
async function buildCollector() {
  const binary = join(HOME, `collector-${COLLECTOR}`)
  if (existsSync(binary)) return binary
  const folder = join(HOME, 'source')
  mkdirSync(folder, { recursive: true })
  copyFileSync(join(FILES, 'collector.go.txt'), join(folder, 'main.go'))
  const cwd = { cwd: folder }
  console.log('building the collector …')
  if (!existsSync(join(folder, 'go.mod'))) await must('go', ['mod', 'init', 'collector'], cwd)
  await must(
    'go',
    ['get', ...MODULES.map((name) => `go.opentelemetry.io/collector/${name}@${COLLECTOR}`)],
    cwd,
  )
  await must('go', ['mod', 'tidy'], cwd)
  await must('go', ['build', '-o', binary, '.'], cwd)
  return binary
}

async function installPython() {
  const python = join(HOME, 'venv', 'bin', 'python')
  if (!existsSync(python)) await must('python3', ['-m', 'venv', join(HOME, 'venv')])
  const packages = ['mcp>=2.3,<3', 'opentelemetry-sdk', 'opentelemetry-exporter-otlp-proto-http']
  await must(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages])
  return python
}

async function startCollector(binary, receiver, children) {
  const port = await freePort()
  const file = join(HOME, 'collector.json')
  const pipeline = { receivers: ['otlp'], exporters: ['otlp_http'] }
  const config = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: {
      otlp_http: {
        endpoint: receiver,
        encoding: 'json',
        compression: 'none',
        sending_queue: { enabled: false },
      },
    },
    service: {
      pipelines: { traces: pipeline, metrics: pipeline },
      telemetry: { metrics: { level: 'none' } },
    },
  }
  writeFileSync(file, JSON.stringify(config))
  children.push(spawn(binary, [`--config=file:${file}`], { stdio: ['ignore', 'ignore', 'inherit'] }))
  const url = `http://127.0.0.1:${port}`
  await waitFor(() =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  )
  return url
}

async function startGateway(otlp, children) {
  const file = join(HOME, 'gantry.json')
  const server = { command: process.execPath, args: [join(FILES, 'server.mjs')], env: { COLLECTOR: otlp } }
  writeFileSync(file, JSON.stringify({ mcpServers: { notes: server }, stateDir: join(HOME, 'state') }))
  const args = [join(ROOT, 'packages/gateway/bin/gantry.mjs'), 'serve', '--config', file, '--port', '0']
  const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: otlp }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  const url = () => /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0]
  await waitFor(() => url() !== undefined).catch(() => {
    throw new Error(`The gateway did not start:\n${output}`)
  })
  return url()
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

async function waitFor(condition) {
  const until = Date.now() + 60_000
  while (!(await condition())) {
    if (Date.now() > until) throw new Error('It took longer than a minute')
    await sleep(100)
  }
}

async function must(command, args, options) {
  const code = await run(command, args, { ...options, stdio: ['ignore', 'ignore', 'inherit'] })
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed`)
}
