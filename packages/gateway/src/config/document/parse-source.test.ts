import { describe, expect, it } from 'vitest'
import { parseSource } from './parse-source.ts'

describe('parseSource', () => {
  it.each(['jsonc', 'yaml'] as const)(
    'a text with too many levels is an error in it (%s)',
    async (format) => {
      for (const levels of [600, 5_000, 100_000]) {
        const text = `{"mcpServers": ${'['.repeat(levels)}${']'.repeat(levels)}}`
        const { value, errors } = await parseSource(text, format)
        expect(value).toBeUndefined()
        expect(errors).toMatchObject([{ code: 'syntax', message: expect.stringContaining('512 levels') }])
      }
      expect((await parseSource(`{"a": ${'['.repeat(400)}${']'.repeat(400)}}`, format)).errors).toEqual([])
    },
  )
})
