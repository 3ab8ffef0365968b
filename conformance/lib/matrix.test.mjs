import { expect, it } from 'vitest'
import { matrix } from './matrix.mjs'

it('counts passed of possible scenarios per cell', () => {
  const run = (cell, problems, notPossible) => ({ cell, problems, notPossible })
  const lines = matrix([
    run('2025-11-25/dual-http/alone', []),
    run('2025-11-25/dual-http/alone', ['bad']),
    run('2026-07-28/legacy-stdio/alone', []),
    run('2026-07-28/legacy-stdio/alone', [], 'why'),
    run('2026-07-28/legacy-stdio/among', []),
  ])
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ['client / upstream', 'alone', 'among others'],
    ['2025-11-25/dual-http', '1/2', '–'],
    ['2026-07-28/legacy-stdio', '1/1 + 1 n/p', '1/1'],
  ])
})
