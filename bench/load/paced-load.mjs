// A load over HTTP at a given pace, in a process of its own: callers who each ask so often in a second, and one who
// asks far more often. It is told `{ ms }` by the bench and answers with what the former waited, and how often the
// latter was refused.
import { connect } from 'node:net'
import { percentile } from '../lib/statistics.mjs'
import { createHttpReader } from './http-reader.mjs'
import { requestText } from './http-request.mjs'
import { options } from './options.mjs'

const INFO = 'io.modelcontextprotocol/clientInfo'
/** In milliseconds. Longer ones would send the calls of a moment in bursts. */
const TICK = 1
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
    onAnswer(performance.now() - connection.sent, answer)
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

async function load(ms) {
  const times = []
  let refused = 0
  const polite = await openAll(
    callers,
    (at) => textBy(`polite ${at}`),
    (time, answer) => {
      if (answer.read().status !== 200) throw new Error('a caller below its limit was refused')
      times.push(time)
    },
  )
  const rude = await openAll(
    greedy > 0 ? CONNECTIONS : 0,
    () => textBy('greedy'),
    (_, answer) => {
      if (answer.read().status === 429) refused++
    },
  )
  const began = performance.now()
  // Each caller at its own moment, so that they do not ask all at once.
  const due = polite.map((_, at) => began + (at * 1000) / each / callers)
  let asked = 0
  await new Promise((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now()
      polite.forEach((connection, at) => {
        if (connection.busy || now < due[at]) return
        due[at] += 1000 / each
        connection.send()
      })
      for (const connection of rude) {
        if (asked >= ((now - began) * greedy) / 1000) break
        if (connection.busy) continue
        asked++
        connection.send()
      }
      if (now - began < ms) return
      clearInterval(timer)
      resolve()
    }, TICK)
  })
  for (const { socket } of [...polite, ...rude]) socket.destroy()
  return {
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    refused: refused / (ms / 1000),
  }
}

function openAll(count, textOf, onAnswer) {
  return Promise.all(Array.from({ length: count }, (_, at) => openConnection(textOf(at), onAnswer)))
}

function fail(error) {
  process.send({ error: error.message }, () => process.exit(1))
}

process.on('uncaughtException', fail)
process.on('message', ({ ms }) => load(ms).then((counted) => process.send(counted), fail))
process.on('disconnect', () => process.exit(0))
process.send({ ready: true })
