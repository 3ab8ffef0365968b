import { grouped } from './grouped.mjs'
import { count } from './report.mjs'

/** The gateway's matrix: passed of possible scenarios in every cell that was run. */
export function printMatrix(results) {
  console.log(`\n${matrix(results).join('\n')}`)
  const reasons = new Set(results.flatMap(({ notPossible }) => notPossible ?? []))
  for (const reason of reasons) console.log(`n/p: ${reason}`)
}

/** The lines of the matrix. */
export function matrix(results) {
  const cells = grouped(results, ({ cell }) => cell)
  const rows = new Set([...cells.keys()].map((cell) => cell.split('/').slice(0, 2).join('/')))
  const head = line('client / upstream', 'alone', 'among others')
  return [
    head,
    ...[...rows].map((row) =>
      line(row, ...['alone', 'among'].map((company) => entry(cells.get(`${row}/${company}`)))),
    ),
  ]
}

/** One cell: passed of possible, and how many are not possible. */
export function entry(results) {
  if (!results) return '–'
  const impossible = results.filter(({ notPossible }) => notPossible !== undefined).length
  return impossible > 0 ? `${count(results)} + ${impossible} n/p` : count(results)
}

function line(first, ...others) {
  return [first.padEnd(26), ...others.map((text) => text.padEnd(16))].join('').trimEnd()
}
