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
  socket.on('end', () => fail(new Error('the server closed a connection')))
  return { send, socket }
}

/**
 * Loads all connections for some time, then lets their last answers come. Between two turns servers would
 * close connections that are at rest, so each turn has its own.
 */
async function load(ms) {
  const opened = await Promise.all(Array.from({ length: connections }, openConnection))
  await new Promise((resolve) => {
    const began = performance.now()
    let busy = opened.length
    const rest = () => {
      if (--busy === 0) resolve()
    }
    run = { count: 0, times: [], began, end: began + ms, rest }
    for (const { send } of opened) send()
  })
  const { count, times, began } = run
  const took = performance.now() - began
  for (const { socket } of opened) socket.destroy()
  return { count, ms: took, ...(timed && { p50: percentile(times, 0.5), p99: percentile(times, 0.99) }) }
}

function fail(error) {
  process.send({ error: error.message }, () => process.exit(1))
}

process.on('uncaughtException', fail)
process.on('message', ({ ms }) => load(ms).then((counted) => process.send(counted), fail))
process.on('disconnect', () => process.exit(0))
process.send({ ready: true })
