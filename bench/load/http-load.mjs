// A load over HTTP, in a process of its own: connections that each have one request on its way.
// It is told `{ ms }` by the bench and answers `{ count, ms, latency }`.
import { connect } from 'node:net'
import { percentile } from '../lib/statistics.mjs'
import { createHttpReader } from './http-reader.mjs'
import { requestText } from './http-request.mjs'
import { createTemplate } from './id-template.mjs'
import { checkAnswer } from './messages.mjs'
import { options } from './options.mjs'

const SAMPLE = 500
const { target, message, expect, connections, timed } = options
const template = createTemplate(requestText(target, message))
let run

function check(answer) {
  const { status, messages } = answer.read()
  if (status !== 200) throw new Error(`status ${status}: ${JSON.stringify(messages)}`)
  checkAnswer(messages.at(-1), expect)
}

async function openConnection() {
  const socket = connect(target.port, '127.0.0.1')
  socket.setNoDelay(true)
  await new Promise((resolve) => socket.once('connect', resolve))
  let sent = 0
  const send = () => {
    if (timed) sent = performance.now()
    socket.write(template.copies(1))
  }
  const reader = createHttpReader((answer) => {
    if (timed) run.times.push(performance.now() - sent)
    if (++run.count % SAMPLE === 1) check(answer)
    if (performance.now() < run.end) send()
    else run.rest()
  })
  socket.on('data', reader.add)
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the server closed a connection')))
  return send
}

/** Loads all connections for some time, then lets their last answers come. */
function load(ms, sends) {
  return new Promise((resolve) => {
    const began = performance.now()
    let busy = sends.length
    const rest = () => {
      if (--busy === 0) resolve(run)
    }
    run = { count: 0, times: [], end: began + ms, rest }
    for (const send of sends) send()
  }).then(({ count, times, end }) => ({
    count,
    ms: performance.now() - end + ms,
    ...(timed && { p50: percentile(times, 0.5), p99: percentile(times, 0.99) }),
  }))
}

function fail(error) {
  process.send({ error: error.message }, () => process.exit(1))
}

process.on('uncaughtException', fail)
const sends = await Promise.all(Array.from({ length: connections }, openConnection))
process.on('message', async ({ ms }) => process.send(await load(ms, sends)))
process.on('disconnect', () => process.exit(0))
process.send({ ready: true })
