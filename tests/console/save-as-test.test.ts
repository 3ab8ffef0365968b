import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { BOTH_ERAS } from '../support/start-gateway.ts'
import { describeConsole } from './support/console-suite.ts'
import type { OpenConsole } from './support/open-console.ts'

describeConsole('a call saved as a test', { config: BOTH_ERAS, entries: 16 }, (suite) => {
  let opened: OpenConsole
  let folder: string

  beforeAll(async () => {
    opened = await suite.open()
    // Below the project, so that the test finds the package.
    const cache = join(ROOT, 'node_modules', '.cache')
    await mkdir(cache, { recursive: true })
    folder = await mkdtemp(join(cache, 'saved-test-'))
  })

  afterAll(() => rm(folder, { recursive: true, force: true }))

  const saved = async () => {
    const [download] = await Promise.all([
      opened.page.waitForEvent('download'),
      opened.page.getByRole('button', { name: 'Save as test' }).click(),
    ])
    const file = join(folder, download.suggestedFilename())
    await writeFile(file, await readFile((await download.path())!))
    return file
  }
  // Inherited options would have the child report to the runner of this test.
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env
  const run = (file: string) => promisify(execFile)(process.execPath, [file], { env, timeout: 20_000 })
  const callTool = async (name: string, era: string) => {
    await opened.go(`/playground?kind=tool&name=${name}`)
    await opened.page.getByLabel('Era').selectOption(era)
    await opened.page.getByRole('button', { name: 'Call', exact: true }).click()
  }

  for (const era of ['modern', 'legacy']) {
    it(`runs by itself, as a ${era} client, and fails when the answer changes`, async () => {
      const { page } = opened
      await callTool('old_greet', era)
      const question = page.getByLabel('Question from the server')
      await question.getByLabel('name').fill('Ada "L" `$`')
      await question.getByRole('button', { name: 'Accept' }).click()
      const file = await saved()
      expect(file).toMatch(/old_greet\.test\.mjs$/)
      expect((await run(file)).stdout).toMatch(/# pass 1|ℹ pass 1/)
      await writeFile(file, (await readFile(file, 'utf8')).replace('Hello, Ada', 'Hello, Bob'))
      await expect(run(file)).rejects.toMatchObject({ code: 1 })
    })
  }

  it('keeps what was declined, sampled and refused', async () => {
    const { page } = opened
    await callTool('new_greet', 'modern')
    await page.getByRole('button', { name: 'Decline' }).click()
    await run(await saved())
    await callTool('new_capital', 'modern')
    await page.getByLabel('Question from the server').getByLabel('Answer').fill('Oslo')
    await page.getByLabel('Question from the server').getByRole('button', { name: 'Answer' }).click()
    await run(await saved())
    await opened.go('/playground?kind=request&name=resources/read')
    await page.getByRole('textbox', { name: /as JSON/ }).click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText('{ "uri": "nowhere://at-all" }')
    await page.getByRole('button', { name: 'Send' }).click()
    const file = await saved()
    expect(await readFile(file, 'utf8')).toContain('assert.rejects')
    await run(file)
  })
})
