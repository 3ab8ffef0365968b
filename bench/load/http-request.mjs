import { connect } from 'node:net'
import { createHttpReader } from './http-reader.mjs'
import { checkAnswer, headersOf, initialize, initialized } from './messages.mjs'

const PATIENCE_MS = 10_000

/** The text of a POST, as the loads send it. */
export function requestText({ port, path, era, session }, message) {
  const body = JSON.stringify(message)
  const headers = {
    Host: `127.0.0.1:${port}`,
    ...headersOf(era, message, session),
    'Content-Length': Buffer.byteLength(body),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/** Sends one request on a connection of its own; the answer. */
export function post(target, message) {
  return new Promise((resolve, reject) => {
    const socket = connect(target.port, '127.0.0.1')
    const reader = createHttpReader((answer) => {
      socket.destroy()
      try {
        resolve({ size: answer.size, ...answer.read() })
      } catch (error) {
        reject(error)
      }
    })
    socket.on('data', reader.add)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed the connection without an answer')))
    socket.write(requestText(target, message))
  })
}

/** Opens a legacy session and returns the target with its id; a modern target is ready as it is. */
export async function openTarget(target) {
  if (target.era !== 'legacy') return target
  const { session, messages } = await post(target, initialize)
  checkAnswer(messages.at(-1))
  const opened = { ...target, session }
  await post(opened, initialized)
  return opened
}

/**
 * Asks until the answer is right, for gateways that listen before what is behind them has started; the size of
 * a right answer.
 */
export async function probeUntilRight(target, message, expect) {
  for (const end = Date.now() + PATIENCE_MS; ; ) {
    try {
      return await probe(target, message, expect)
    } catch (error) {
      if (Date.now() > end) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

async function probe(target, message, expect) {
  const { status, messages, size } = await post(target, message)
  if (status !== 200) throw new Error(`status ${status} instead of 200: ${JSON.stringify(messages)}`)
  checkAnswer(messages.at(-1), expect)
  return size
}
