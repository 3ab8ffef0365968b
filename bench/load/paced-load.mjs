// A load over HTTP at a given pace, in a process of its own: callers who each ask so often in a second, or one who
// asks far more often. It is told `{ ms }` by the bench, asks for so long to settle and for `TURN` times as long to be
// measured, and answers with what the former waited, and how often the latter was refused.
import { connect } from 'node:net'
import { percentile } from '../lib/statistics.mjs'
import { createHttpReader } from './http-reader.mjs'
import { requestText } from './http-request.mjs'
import { options } from './options.mjs'

const INFO = 'io.modelcontextprotocol/clientInfo'
/** In milliseconds. Longer ones would send the calls of a moment in bursts. */
const TICK = 1
const TURN = 3
const CONNECTIONS = 64
const { target, message, callers, each, greedy } = options

/** The text of a call by a client of this name: callers without credentials are told apart by it. */
function textBy(name) {
  const { _meta, ...params } = message.params
  const own = { ..._meta, [INFO]: { name, version: '1.0.0' } }
  return requestText(target, { ...message, params: { ...params, _meta: own } })
}

async function openConnection(text, onAnswer) {
  const socket = connect(target.port, '127.0.0.1')
  socket.setNoDelay(true)
  await new Promise((resolve) => socket.once('connect', resolve))
  const connection = { busy: false, sent: 0, socket, send }
  const reader = createHttpReader((answer) => {
    connection.busy = false
    onAnswer(connection, answer)
  })
  socket.on('data', reader.add)
  socket.on('error', fail)
  return connection

  function send() {
    connection.busy = true
    connection.sent = performance.now()
    socket.write(text)
  }
}

/** Connections at the beginning of a turn. */
function openAll(count, textOf, onAnswer) {
  return Promise.all(Array.from({ length: count }, (_, at) => openConnection(textOf(at), onAnswer)))
}

/**
 * What a turn counts from: opening connections, first calls on them and the first refusals are over then. They are rare
 * in the life of a caller, and were a tenth of what a turn saw.
 */
const counting = (began, ms) => ({ from: began + ms, until: began + ms + ms * TURN })

/** Each caller at its own moment, so that they do not ask all at once. */
async function askPolitely(ms) {
  const times = []
  let span
  const polite = await openAll(
    callers,
    (at) => textBy(`polite ${at}`),
    ({ sent }, answer) => {
      if (answer.read().status !== 200) throw new Error('a caller below its limit was refused')
      if (sent >= span.from) times.push(performance.now() - sent)
    },
  )
  const began = performance.now()
  span = counting(began, ms)
  const due = polite.map((_, at) => began + (at * 1000) / each / callers)
  await new Promise((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now()
      polite.forEach((connection, at) => {
        if (connection.busy || now < due[at]) return
        due[at] += 1000 / each
        connection.send()
      })
      if (now < span.until) return
      clearInterval(timer)
      resolve()
    }, TICK)
  })
  for (const { socket } of polite) socket.destroy()
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
}

/**
 * As often as the pace says, on as many connections as are free. One that was answered late asks again at once: while
 * all wait for answers this process does nothing, since what it did would be the work of another machine.
 */
async function askGreedily(ms) {
  let refused = 0
  let asked = 0
  let began
  let span
  const isDue = (now) => now < span.until && asked < ((now - began) * greedy) / 1000
  const ask = (connection) => {
    asked++
    connection.send()
  }
  const rude = await openAll(
    CONNECTIONS,
    () => textBy('greedy'),
    (connection, answer) => {
      const now = performance.now()
      if (now >= span.from && answer.read().status === 429) refused++
      if (isDue(now)) ask(connection)
      else timer ??= setTimeout(askFree, TICK)
    },
  )
  began = performance.now()
  span = counting(began, ms)
  let timer
  const askFree = () => {
    timer = undefined
    for (const connection of rude) if (!connection.busy && isDue(performance.now())) ask(connection)
    if (rude.some(({ busy }) => !busy)) timer = setTimeout(askFree, TICK)
  }
  askFree()
  await new Promise((resolve) => setTimeout(resolve, span.until - began))
  clearTimeout(timer)
  for (const { socket } of rude) socket.destroy()
  return { refused: refused / ((ms * TURN) / 1000) }
}

function fail(error) {
  process.send({ error: error.message }, () => process.exit(1))
}

process.on('uncaughtException', fail)
process.on('message', ({ ms }) =>
  (greedy > 0 ? askGreedily(ms) : askPolitely(ms)).then((counted) => process.send(counted), fail),
)
process.on('disconnect', () => process.exit(0))
process.send({ ready: true })
