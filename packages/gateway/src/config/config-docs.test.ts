import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parseConfig } from './load-config.ts'

const repository = new URL('../../../../', import.meta.url)

describe('docs/configuration.md', () => {
  it('is what the schema says', async () => {
    const script = fileURLToPath(new URL('scripts/config-docs.mjs', repository))
    await expect(promisify(execFile)(process.execPath, [script, '--check'])).resolves.toBeDefined()
  })

  it('begins with an example that loads', async () => {
    const page = readFileSync(new URL('docs/configuration.md', repository), 'utf8')
    const example = /```yaml\n(.*?)```/s.exec(page)![1]!
    const places = { platform: 'linux' as const, home: '/', env: { GITHUB_TOKEN: 'x' }, cwd: '/' }
    expect(await parseConfig(example, { format: 'yaml', places })).toMatchObject({ ok: true, warnings: [] })
  })
})
