import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { JsonObject } from '@gantry/mcp/exchange'
import { modelOf } from '../chain.test.support.ts'
import { ResultCleaner } from './result-cleaner.ts'

const ROOT = join(import.meta.dirname, '../../../../..')
const ALL = ['email', 'phone', 'card', 'iban', 'national-id', 'keys']

/** The project's own prose and code: long, of many kinds, and without people in it. */
function corpus(): string[] {
  const files = (folder: string, ending: RegExp): string[] =>
    readdirSync(join(ROOT, folder), { recursive: true })
      .map(String)
      .filter((name) => ending.test(name) && !/\.test\.|test\.support|sensitive|results\.md/.test(name))
      .map((name) => join(ROOT, folder, name))
  return [
    ...files('docs', /\.md$/),
    ...files('packages/mcp/src', /\.ts$/),
    ...files('packages/gateway/src', /\.ts$/),
  ]
    .flatMap((file) => readFileSync(file, 'utf8').split(/\n{2,}/))
    .filter((text) => text.trim().length > 40)
}

it('finds nothing in 99 of 100 texts that hold nothing', async () => {
  const { results } = await modelOf({ mcpServers: { a: { module: 'a' } }, results: [{ mask: ALL }] })
  const found: string[] = []
  const cleaner = new ResultCleaner(results, (name) => void found.push(name))
  const texts = corpus()
  expect(texts.length).toBeGreaterThan(5_000)
  const alarms = texts.filter((text) => {
    const result: JsonObject = { content: [{ type: 'text', text }] }
    return cleaner.clean(result) !== result
  })
  const share = alarms.length / texts.length
  expect(share, `${alarms.length} of ${texts.length}: ${alarms.slice(0, 3).join('\n--\n')}`).toBeLessThan(
    0.01,
  )
})
