import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as codes from '../../packages/mcp/src/jsonrpc/error-codes.ts'
import { ROOT } from '../../scripts/lib/paths.mjs'

const page = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8')
const source = readFileSync(join(ROOT, 'packages/mcp/src/jsonrpc/mcp-error.ts'), 'utf8')

/** The code that ships, by file. */
const sources = new Map(
  ['packages/mcp/src', 'packages/gateway/src'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/\.test[.-]/.test(file))
      .map((file) => [file, readFileSync(join(ROOT, folder, file), 'utf8')] as const),
  ),
)

/** The cells of the rows of a section's table. */
function rowsOf(heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading)) ?? ''
  const lines = section.split('\n').filter((line) => /^\| (`|−)/.test(line))
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const union = /export type McpErrorCode =([^/]*)\n\n/.exec(source)?.[1] ?? ''
const words = [...union.matchAll(/'(\w+)'/g)].map((match) => match[1]!)

const logEvents = readFileSync(join(ROOT, 'packages/gateway/src/telemetry/log-events.ts'), 'utf8')
const events = [...logEvents.matchAll(/\| '([\w-]+)'/g)].map((match) => match[1]!)
/** The calls that log a warning or an error, each up to its closing bracket. */
function logged(text: string): string[] {
  return [...text.matchAll(/log\(\s*'(?:warn|error)',/gi)].map(({ index }) => {
    let end = text.indexOf('(', index) + 1
    for (let open = 1; open > 0; end++) open += { '(': 1, ')': -1 }[text[end]!] ?? 0
    return text.slice(index, end)
  })
}

describe('docs/errors.md', () => {
  it('explains every code of McpError and no other, in the order of the code', () => {
    expect(words.length).toBeGreaterThan(20)
    expect(rowsOf('`McpError`').map(([code]) => code)).toEqual(words.map((word) => `\`${word}\``))
  })

  it('explains every JSON-RPC code and no other', () => {
    const rows = rowsOf('JSON-RPC').map(([code, name]) => [
      name!.replaceAll('`', ''),
      Number(code!.replace('−', '-')),
    ])
    expect(Object.fromEntries(rows)).toEqual({ ...codes })
  })

  it('explains every event of the log and no other', () => {
    expect(events.length).toBeGreaterThan(30)
    expect(rowsOf('Lines of').map(([event]) => event)).toEqual(events.map((event) => `\`${event}\``))
  })

  it.each(events)('%s is an event that something logs', (event) => {
    const logging = [...sources].filter(([file]) => !file.endsWith('log-events.ts'))
    expect(logging.some(([, text]) => text.includes(`'${event}'`))).toBe(true)
  })

  it('finds an event in every warning and error of the log', () => {
    const lines = [...sources]
      .filter(([file]) => !file.startsWith('demo/'))
      .flatMap(([, text]) => logged(text))
    expect(lines.length).toBeGreaterThan(30)
    expect(lines.filter((line) => !/\bevent\b/.test(line))).toEqual([])
  })

  it('says of each what happened and what to do', () => {
    for (const row of [...rowsOf('`McpError`'), ...rowsOf('JSON-RPC'), ...rowsOf('Lines of')])
      for (const cell of row) expect(cell, row[0]).not.toBe('')
  })

  it.each(words)('%s is a code that something raises', (word) => {
    expect(
      [...sources]
        .filter(([file]) => !file.endsWith('mcp-error.ts'))
        .some(([, text]) => text.includes(`'${word}'`)),
    ).toBe(true)
  })

  it('is complete: no other number is sent', () => {
    const numbers = [...sources.values()].flatMap((text) =>
      [...text.matchAll(/[(:=] (-3\d{4})\b/g)].map((match) => Number(match[1])),
    )
    expect(numbers.length).toBeGreaterThan(9)
    expect(numbers.filter((number) => !Object.values<number>(codes).includes(number))).toEqual([])
  })
})
