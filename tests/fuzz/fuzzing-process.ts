// A server on stdio that says the right things wrongly: `node fuzzing-process.mjs SEED FAULT ERA`.
import { createInterface } from 'node:readline'
import { type Fault, FaultyVoice } from './faulty-voice.ts'
import { HonestServer, type Message } from './honest-server.ts'
import { Random } from './random.ts'

const random = new Random(Number(process.argv[2]))
const voice = new FaultyVoice(random, process.argv[3] as Fault, (text) => `${text}\n`)
const honest = new HonestServer(process.argv[4] as 'legacy' | 'modern')
let held: Message[] = []

/** Says some of what is held back, in slices; the rest waits for the next turn. */
function speak(): void {
  const now = held.filter(() => random.chance(0.7))
  held = held.filter((message) => !now.includes(message))
  for (const slice of random.slices(voice.utter(now), random.chance(0.5) ? 9 : 4096)) {
    process.stdout.write(slice)
  }
  if (random.chance(0.05)) process.stderr.write(random.bytes(1000))
  // Now and then in the middle of everything.
  if (random.chance(0.002)) process.exit(random.below(3))
  if (held.length > 0) setTimeout(speak, random.below(5))
}

process.stdout.on('error', () => process.exit())
createInterface(process.stdin).on('line', (line) => {
  const message = JSON.parse(line) as Message
  const answers = honest.hear(message)
  // Most connections get somewhere: there is more to go wrong behind the handshake than before it.
  const isGreeting = /^(initialize|server\/discover)$/.test(String(message.method))
  if (isGreeting && random.chance(0.9)) {
    for (const answer of answers) process.stdout.write(`${JSON.stringify(answer)}\n`)
    return
  }
  held.push(...answers)
  setTimeout(speak, random.below(5))
})
