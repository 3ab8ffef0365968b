import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { detectorNames, detectorsFor, replaceFound } from './index.ts'

const ROOT = new URL('../../../../../', import.meta.url).pathname

const FOLDERS = ['docs', 'examples', 'packages/mcp/src', 'packages/gateway/src', 'packages/console/src']

/** Lines of our documents and sources: prose, code, addresses, versions, hashes and times. */
function corpus(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:md|ts|tsx)$/.test(file) && !/\.test\.|sensitive|results/.test(file))
      .flatMap((file) => readFileSync(join(ROOT, folder, file), 'utf8').split('\n')),
  )
}

it('takes less than one line in a hundred of ordinary text for something else', () => {
  const lines = corpus().filter((line) => line.trim() !== '')
  const detectors = detectorsFor(detectorNames)
  const wrong = lines.filter((line) =>
    detectors.some((detector) => replaceFound(line, detector, '', () => '') !== line),
  )
  expect(lines.length).toBeGreaterThan(20_000)
  expect(wrong.length / lines.length, wrong.slice(0, 20).join('\n')).toBeLessThan(0.01)
})
