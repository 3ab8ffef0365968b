// The plainest server over a pipe: like bare-stdio.mjs, but with a write for each answer.
import { createInterface } from 'node:readline'
import { answer } from './bare-answer.mjs'

createInterface({ input: process.stdin }).on('line', (line) => {
  const reply = answer(JSON.parse(line))
  if (reply !== undefined) process.stdout.write(`${JSON.stringify(reply)}\n`)
})
