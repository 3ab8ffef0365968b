// node scripts/measure-gateway.mjs [--runs 7]   what an idle gateway costs, beside a bare Node that only listens
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import { build } from './lib/build.mjs'
import { freePort } from './lib/free-port.mjs'
import { ROOT } from './lib/paths.mjs'

/** What we promise: memory when idle, and start beyond the start of Node itself. */
const LIMITS = { megabytes: 90, readyBeyond: 500 }
const TARGETS = 10
/** Long enough for what runs once after the start. */
const IDLE_AFTER = 5_000
const BARE =
  "require('node:http').createServer((_, r) => r.end()).listen(Number(process.argv[1]), '127.0.0.1')"

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '7' }, 'no-build': { type: 'boolean', default: false } },
})
if (!values['no-build']) await build()
const folder = await mkdtemp(join(tmpdir(), 'gantry-measure-'))
try {
  const config = await writeConfig(folder)
  const cli = join(ROOT, 'packages/gateway/dist/cli/gantry.js')
  const subjects = {
    bare: { args: (port) => ['-e', BARE, String(port)], path: '/' },
    gateway: { args: (port) => [cli, 'serve', '--config', config, '--port', String(port)], path: '/ready' },
  }
  // In turn, so that whatever else the machine does strikes both alike.
  const found = { bare: [], gateway: [] }
  for (let run = 0; run < Number(values.runs); run++) {
    for (const [name, subject] of Object.entries(subjects)) found[name].push(await measure(subject))
  }
  process.exitCode = print(found)
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function writeConfig(dir) {
  const echo = {
    command: process.execPath,
    args: [join(ROOT, 'examples/echo-server.mjs'), 'stdio'],
    start: 'lazy',
  }
  const mcpServers = Object.fromEntries(Array.from({ length: TARGETS }, (_, index) => [`t${index}`, echo]))
  const file = join(dir, 'gantry.json')
  await writeFile(file, JSON.stringify({ mcpServers, stateDir: dir }))
  return file
}

/** Milliseconds from the start of the process to its first answer, and its memory when it idles. */
async function measure({ args, path }) {
  const port = await freePort()
  const began = performance.now()
  const child = spawn(process.execPath, args(port), { stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    while ((await status(port, path)) !== 200) {
      if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`)
      await delay(2)
    }
    const ready = performance.now() - began
    // The console is part of what idles: a user has looked at it.
    await status(port, '/console/')
    await delay(IDLE_AFTER)
    return { ready, megabytes: await residentMegabytes(child.pid) }
  } finally {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
}

function status(port, path) {
  return new Promise((resolve) => {
    const asked = request({ port, path, host: '127.0.0.1', agent: false }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode))
    })
    asked.once('error', () => resolve(undefined))
    asked.end()
  })
}

async function residentMegabytes(pid) {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
  return Number(stdout) / 1024
}

function print(found) {
  const bare = summary(found.bare)
  const gateway = summary(found.gateway)
  // Whatever else the machine does only ever adds to a run: the fastest says most about the program.
  const beyond = gateway.fastest - bare.fastest
  console.log(`An idle gateway with console and ${TARGETS} lazy targets, ${found.bare.length} runs each`)
  for (const [name, { fastest, middle, megabytes }] of Object.entries({ 'bare Node': bare, gateway })) {
    console.log(
      `  ${name.padEnd(10)} ready in ${ms(fastest)} (median ${ms(middle)}), ${megabytes.toFixed(1)} MB`,
    )
  }
  const ratios = [gateway.fastest / bare.fastest, gateway.megabytes / bare.megabytes]
  console.log(`  ratio      start ${ratios[0].toFixed(1)}×, memory ${ratios[1].toFixed(1)}×`)
  console.log(`  limits     ${ms(beyond)} of ${ms(LIMITS.readyBeyond)} beyond Node's own start,`)
  console.log(`             ${gateway.megabytes.toFixed(1)} of ${LIMITS.megabytes} MB`)
  return beyond <= LIMITS.readyBeyond && gateway.megabytes <= LIMITS.megabytes ? 0 : 1
}

function summary(runs) {
  const ready = runs.map((run) => run.ready).sort((a, b) => a - b)
  return {
    fastest: ready[0],
    middle: ready[Math.floor(ready.length / 2)],
    megabytes: Math.max(...runs.map((run) => run.megabytes)),
  }
}

function ms(value) {
  return `${value.toFixed(0)} ms`
}
