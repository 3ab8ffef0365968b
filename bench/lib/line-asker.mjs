import { eachLine } from '../contestants/each-line.mjs'
import { checkAnswer, initialize, initialized } from '../load/messages.mjs'

/** Asks a server on stdio one thing at a time, outside what is measured by load. */
export function createLineAsker(child) {
  const waiting = new Map()
  eachLine(child.stdout, (line) => {
    const answer = JSON.parse(line)
    waiting.get(answer.id)?.resolve(answer)
    waiting.delete(answer.id)
  })
  child.once('close', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the server ended with ${code}`))
  })

  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`)
  const ask = (message) =>
    new Promise((resolve, reject) => {
      waiting.set(message.id, { resolve, reject })
      send(message)
    })
  const handshake = async () => {
    checkAnswer(await ask(initialize))
    send(initialized)
  }
  return { send, ask, handshake }
}
