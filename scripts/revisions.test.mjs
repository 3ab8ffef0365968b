import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Eras end at the edges of the SDK. The gateway asks the SDK, and names a revision only where people read it. */
const GATEWAY = 'packages/gateway/src'

/** What people write and read: the configuration, the facts that its conditions name, the command line, the console's contract and its explanations. */
const SHOWN = [
  'config/raw-config.ts',
  'config/compile/policy-tests.ts',
  'model/target-model.ts',
  'rules/facts.ts',
  'admin/contract/',
  'admin/explain/',
  'admin/overview/',
  'admin/wire/',
  'cli/',
]

/** Who may ask for an era: those who connect to servers, and those who show it. */
const ASKING = [...SHOWN, 'admin/clients/', 'targets/']

const QUESTION = /\b(?:isModern|eraOf|LATEST_LEGACY)\b/

const LITERAL = /(['"`])(?:20\d\d-\d\d-\d\d|legacy|modern)\1/

/** The text without comments, which cite the specification. */
function codeOf(text) {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')
}

function offences(path, text, pattern = LITERAL) {
  const lines = codeOf(text).split('\n')
  return lines.filter((line) => pattern.test(line)).map((line) => `${path}: ${line.trim()}`)
}

function filesBesides(places) {
  return readdirSync(GATEWAY, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.ts') && !/\.test[.-]/.test(path))
    .filter((path) => !places.some((place) => path.startsWith(place)))
}

describe('the gateway', () => {
  it('names no revision and no era in its code', () => {
    const files = filesBesides(SHOWN)
    expect(files.length).toBeGreaterThan(100)
    expect(files.flatMap((path) => offences(path, readFileSync(join(GATEWAY, path), 'utf8')))).toEqual([])
  })

  it('asks for no era between its edges', () => {
    const files = filesBesides(ASKING)
    expect(
      files.flatMap((path) => offences(path, readFileSync(join(GATEWAY, path), 'utf8'), QUESTION)),
    ).toEqual([])
  })

  it.each([
    ["if (client.version < '2026-07-28') return", 1],
    ['const era = "legacy"', 1],
    ['/** As 2026-07-28 has it: `modern` */ const x = 1', 0],
    ["const x = 1 // 'legacy' clients", 0],
  ])('would be found out: %s', (text, found) => {
    expect(offences('x.ts', text)).toHaveLength(found)
  })
})
