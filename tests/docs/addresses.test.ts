import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/paths.mjs'

const { homepage, docs, repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

it.each(['mcp', 'gateway', 'create-gantry'])(
  'packages/%s names the addresses of the root package.json',
  (name) => {
    const file = join(ROOT, 'packages', name, 'package.json')
    const text = readFileSync(file, 'utf8')
    const expected = { homepage, docs, repository: { ...repository, directory: `packages/${name}` } }
    if (process.env.GANTRY_UPDATE_DOCS)
      writeFileSync(file, `${JSON.stringify({ ...JSON.parse(text), ...expected }, undefined, 2)}\n`)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject(expected)
  },
)
