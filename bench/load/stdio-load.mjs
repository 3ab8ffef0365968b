// The load on a server's pipes, in a process of its own; it starts the server that it asks.
// It is told `{ ms }` by the bench and answers `{ count, ms, cpu, memory }`, with `p50` and `p99` of one call at a time.
import { spawn } from 'node:child_process'
import { cpuMicroseconds, residentMegabytes } from '../lib/cpu.mjs'
import { percentile } from '../lib/statistics.mjs'
import { createTemplate } from './id-template.mjs'
import { checkAnswer, initialize, initialized } from './messages.mjs'
import { options } from './options.mjs'

const SAMPLE = 500
const { command, args, era, message, expect, inFlight, timed, cwd } = options

const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], cwd })
child.on('exit', (code) => fail(new Error(`the server ended with ${code}`)))
child.stdin.on('error', fail)

const line = (value) => `${JSON.stringify(value)}\n`
const template = createTemplate(line(message))
let onLine = () => {}
let pending = []
let lines = 0
let sinceSample = 0
let onLines = () => {}

child.stdout.on('data', (chunk) => {
  let from = 0
  let count = 0
  for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
    if (++sinceSample >= SAMPLE || onLines === idle) {
      sinceSample = 0
      const head = pending.length > 0 ? Buffer.concat([...pending, chunk.subarray(from, end)]) : undefined
      onLine(JSON.parse((head ?? chunk.subarray(from, end)).toString()))
    }
    pending = []
    from = end + 1
    count++
  }
  if (from < chunk.length) pending.push(chunk.subarray(from))
  if (count > 0) onLines(count)
})

function idle() {}

/** One request and its answer, outside the measured time. */
function ask(value) {
  onLines = idle
  return new Promise((resolve) => {
    onLine = (answer) => {
      if (answer.id === value.id && answer.method === undefined) resolve(answer)
    }
    child.stdin.write(line(value))
  })
}

/** Keeps `inFlight` requests on their way for some time, then lets them all come back. */
function load(ms) {
  return new Promise((resolve) => {
    lines = 0
    let outstanding = inFlight
    let measured
    let sent = 0
    const times = []
    onLine = (answer) => check(answer)
    const cpu = cpuMicroseconds(child.pid)
    const began = performance.now()
    onLines = (count) => {
      lines += count
      outstanding -= count
      const now = performance.now() - began
      if (timed) times.push(now - sent)
      if (measured === undefined && now < ms) {
        child.stdin.write(template.copies(count))
        outstanding += count
        sent = performance.now() - began
        return
      }
      measured ??= {
        count: lines,
        ms: now,
        cpu: cpuMicroseconds(child.pid) - cpu,
        memory: residentMegabytes(child.pid),
        ...(timed && { p50: percentile(times, 0.5), p99: percentile(times, 0.99) }),
      }
      if (outstanding === 0) resolve(measured)
    }
    child.stdin.write(template.copies(inFlight))
  })
}

function check(answer) {
  try {
    checkAnswer(answer, expect)
  } catch (error) {
    fail(error)
  }
}

function fail(error) {
  process.send({ error: error.message }, () => process.exit(1))
}

if (era === 'legacy') {
  checkAnswer(await ask(initialize))
  child.stdin.write(line(initialized))
}
check(await ask(message))
process.on('message', async ({ ms }) => process.send(await load(ms)))
process.on('disconnect', () => process.exit(0))
process.send({ ready: true })
