import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isSaid, Reader, stepsOf } from './support/console-page.ts'

const PAGES = ['README.md', 'docs/quick-start.md']

// GANTRY_UPDATE_DOCS=1 writes what the commands print into the pages.
const isUpdating = process.env.GANTRY_UPDATE_DOCS === '1'

describe('commands on the page', () => {
  it.each(PAGES)('%s print what it says', async (name) => {
    const file = fileURLToPath(new URL(`../../${name}`, import.meta.url))
    let page = await readFile(file, 'utf8')
    const steps = stepsOf(page)
    expect(steps.length).toBeGreaterThan(0)
    const reader = await Reader.begin(page)
    try {
      for (const step of steps) {
        const printed = await reader.run(step)
        if (isSaid(printed, step.expected)) continue
        if (!isUpdating) expect(`$ ${step.command}\n${printed}`).toBe(`$ ${step.command}\n${step.expected}`)
        const before = `$ ${step.command}\n${step.expected}${step.expected === '' ? '' : '\n'}`
        page = page.replace(before, () => `$ ${step.command}\n${printed}\n`)
      }
    } finally {
      await reader.end()
    }
    if (isUpdating) await writeFile(file, page)
  })
})
