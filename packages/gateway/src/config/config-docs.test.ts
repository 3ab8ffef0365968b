import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parseConfig } from './load-config.ts'

const repository = new URL('../../../../', import.meta.url)

const check = (script: string): Promise<unknown> =>
  promisify(execFile)(process.execPath, [fileURLToPath(new URL(script, repository)), '--check'])

it('has types that are what the schema says', async () => {
  await expect(check('scripts/config-types.mjs')).resolves.toBeDefined()
})

describe('docs/configuration.md', () => {
  it('is what the schema says', async () => {
    await expect(check('scripts/config-docs.mjs')).resolves.toBeDefined()
  })

  it('begins with an example that loads', async () => {
    const page = readFileSync(new URL('docs/configuration.md', repository), 'utf8')
    const example = /```yaml\n(.*?)```/s.exec(page)![1]!
    const places = { platform: 'linux' as const, home: '/', env: { GITHUB_TOKEN: 'x' }, cwd: '/' }
    expect(await parseConfig(example, { format: 'yaml', places })).toMatchObject({ ok: true, warnings: [] })
  })
})
