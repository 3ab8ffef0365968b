import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ArrivingResults } from './arriving-results.ts'
import { createPooledFetch } from './pooled-fetch.ts'

const KB = 1024
const LENGTHS = [40, 70, 100, 110, 120, 130, 160, 200, 300, 400].map((size) => size * KB)
const HEADS: Record<string, (length: number) => string> = {
  'until the connection ends': () => 'HTTP/1.1 200 OK\r\n\r\n',
  'with a length and "close"': (length) =>
    `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n`,
  'of HTTP/1.0': (length) => `HTTP/1.0 200 OK\r\ncontent-length: ${length}\r\n\r\n`,
}

const uncaught: unknown[] = []
const onUncaught = (error: unknown): void => void uncaught.push(error)
let listeners: NodeJS.UncaughtExceptionListener[] = []

beforeEach(() => {
  listeners = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', onUncaught)
})
afterEach(() => {
  process.off('uncaughtException', onUncaught)
  for (const listener of listeners) process.on('uncaughtException', listener)
  expect(uncaught.splice(0)).toEqual([])
})

async function serve(answer: (socket: Socket, length: number) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (request) => answer(socket, Number(/GET \/(\d+)/.exec(request.toString())?.[1])))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const pooledFetch = () => createPooledFetch(new ArrivingResults({ perCaller: 4e6, total: 8e6 }))

describe.each(Object.entries(HEADS))('an answer %s', (_, head) => {
  it('is read whole when its connection ends, however much comes with the end', async () => {
    await using server = await serve((socket, length) => socket.end(head(length) + ' '.repeat(length)))
    const fetch = pooledFetch()
    for (const length of LENGTHS) {
      const texts = await Promise.all(
        [1, 2, 3].map(async () => (await fetch(`${server.url}${length}`, { method: 'GET' })).text()),
      )
      expect(texts.map((text) => text.length)).toEqual([length, length, length])
    }
  })

  it('fails or ends when its connection breaks, and nothing else does', async () => {
    await using server = await serve((socket, length) => {
      socket.write(head(length + 1) + ' '.repeat(length), () => socket.resetAndDestroy())
    })
    const fetch = pooledFetch()
    for (const length of LENGTHS) {
      const answers = [1, 2, 3].map(async () =>
        (await fetch(`${server.url}${length}`, { method: 'GET' })).text(),
      )
      await Promise.allSettled(answers)
    }
  })
})
