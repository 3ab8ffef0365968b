// A raw pipe: it answers each line with bytes that were ready before, but for the id.
//   node raw-stdio.mjs BYTES
import { answer } from './bare-answer.mjs'
import { eachLine } from './each-line.mjs'

const big = answer({
  id: 0,
  method: 'tools/call',
  params: { name: 'big', arguments: { bytes: Number(process.argv[2]) } },
})
const rest = Buffer.from(`,"result":${JSON.stringify(big.result)}}\n`)

eachLine(process.stdin, (line) => {
  const request = JSON.parse(line)
  if (request.method !== 'tools/call') {
    const reply = answer(request)
    if (reply !== undefined) process.stdout.write(`${JSON.stringify(reply)}\n`)
    return
  }
  process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(request.id)}`)
  process.stdout.write(rest)
})
process.stdin.on('end', () => process.exit(0))
