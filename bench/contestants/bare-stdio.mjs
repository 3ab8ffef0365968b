// The limit over a pipe: lines in, `JSON.parse`, `JSON.stringify`, lines out – one write for what one read
// brought. It knows of MCP only what the loads ask for.
//   node bare-stdio.mjs [legacy|modern [EXTRA-TOOLS]]
import { answer } from './bare-answer.mjs'
import { eachLine } from './each-line.mjs'

let out = ''
eachLine(
  process.stdin,
  (line) => {
    const reply = answer(JSON.parse(line))
    if (reply !== undefined) out += `${JSON.stringify(reply)}\n`
  },
  () => {
    if (out === '') return
    process.stdout.write(out)
    out = ''
  },
)
process.stdin.on('end', () => process.exit(0))
