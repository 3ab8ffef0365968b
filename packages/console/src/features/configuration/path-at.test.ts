import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Schema } from '../../schema-form/schema.ts'
import { jsonPlaceAt, yamlPlaceAt } from './path-at.ts'
import { schemasAt } from './schemas-at.ts'

const schema = JSON.parse(
  readFileSync(new URL('../../../../gateway/schema/gantry.schema.json', import.meta.url), 'utf8'),
) as Schema

/** `|` is the cursor. */
const at = (read: typeof jsonPlaceAt, text: string) => {
  const { path, wants } = read(text.replace('|', ''), text.indexOf('|'))
  return `${wants} ${path.join('.')}`
}

describe('jsonPlaceAt', () => {
  const cases: [string, string][] = [
    ['{ "a|', 'key '],
    ['{ "mcpServers": { "x": { "com|', 'key mcpServers.x'],
    ['// "no": {\n{ "mcpServers": { /* { */ "x": { "command": "np|" } } }', 'value mcpServers.x.command'],
    ['{ "a": { "b": 1 }, |', 'key '],
    ['{ "a": [ { "b": 1 }, { "c|', 'key a.*'],
    ['{ "a": tr|', 'value a'],
    ['{ "a\\"b": { "c": |', 'value a"b.c'],
    ['{ "a": { } , "d": [ "x", |', 'value d.*'],
  ]
  it.each(cases)('%s', (text, expected) => expect(at(jsonPlaceAt, text)).toBe(expected))
})

describe('yamlPlaceAt', () => {
  const cases: [string, string][] = [
    ['mc|', 'key '],
    ['mcpServers:\n  files:\n    com|', 'key mcpServers.files'],
    ['mcpServers:\n  files:\n    command: np|', 'value mcpServers.files.command'],
    ['a:\n  b: 1\nd|', 'key '],
    ['a:\n  - b: 1\n    c|', 'key a.*'],
  ]
  it.each(cases)('%j', (text, expected) => expect(at(yamlPlaceAt, text)).toBe(expected))
})

describe('schemasAt', () => {
  it('finds the keys of a target, of the top, and nothing where nothing is known', () => {
    const keys = (path: string[]) =>
      schemasAt(schema, path).flatMap((one) => Object.keys(one.properties ?? {}))
    expect(keys([])).toContain('mcpServers')
    expect(keys(['mcpServers', 'any name'])).toEqual(expect.arrayContaining(['command', 'args', 'url']))
    expect(keys(['nowhere', 'at all'])).toEqual([])
  })
})
