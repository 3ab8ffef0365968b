// The limit of a client: `JSON.stringify`, `JSON.parse` and a promise for each call, over a pipe or `node:http`.
import { spawn } from 'node:child_process'
import { Agent, request as ask } from 'node:http'
import { eachLine } from '../contestants/each-line.mjs'
import { headersOf, initialize, initialized, request } from '../load/messages.mjs'

export function connectClient({ era, args, url }) {
  return url ? overHttp(era, url) : overPipe(era, args)
}

const textOf = ({ result }) => result.content[0].text
const echo = (era, id, text) => ({
  ...request(era, 'tools/call', { name: 'echo', arguments: { text } }),
  id,
})

async function overPipe(era, args) {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map()
  let last = 0
  let out = ''
  eachLine(child.stdout, (line) => {
    const message = JSON.parse(line)
    waiting.get(message.id)(message)
    waiting.delete(message.id)
  })
  const flush = () => {
    child.stdin.write(out)
    out = ''
  }
  const send = (message) => {
    if (out === '') process.nextTick(flush)
    out += `${JSON.stringify(message)}\n`
    return new Promise((resolve) => waiting.set(message.id, resolve))
  }
  if (era === 'legacy') {
    await send(initialize)
    send(initialized)
  }
  return {
    call: (text) => send(echo(era, ++last, text)).then(textOf),
    close: () => child.stdin.end(),
  }
}

function overHttp(era, url) {
  const agent = new Agent({ keepAlive: true })
  const { hostname: host, port, pathname: path } = new URL(url)
  const headers = headersOf(era, echo(era, 0, ''))
  let last = 0
  const send = (message) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify(message)
      const length = { 'content-length': Buffer.byteLength(body) }
      const sent = ask(
        { host, port, path, method: 'POST', agent, headers: { ...headers, ...length } },
        (answer) => {
          const chunks = []
          answer.on('data', (chunk) => chunks.push(chunk))
          answer.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())))
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  return {
    call: (text) => send(echo(era, ++last, text)).then(textOf),
    progress: (text) => countEvents({ host, port, path, agent, headers }, echo(era, ++last, text)),
    close: () => agent.destroy(),
  }
}

/** Reads a stream of events with nothing but `indexOf` and `JSON.parse`. */
function countEvents(target, message) {
  message.params._meta = { ...message.params._meta, progressToken: message.id }
  return new Promise((resolve, reject) => {
    const sent = ask({ ...target, method: 'POST' }, (answer) => {
      let count = 0
      eachLine(answer, (line) => {
        if (line.startsWith('data: ') && JSON.parse(line.slice(6)).method === 'notifications/progress')
          count++
      })
      answer.on('end', () => resolve(count))
    })
    sent.on('error', reject)
    sent.end(JSON.stringify(message))
  })
}
