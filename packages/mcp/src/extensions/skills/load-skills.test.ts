import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Server } from '../../server/index.ts'
import { skills } from './index.ts'
import { loadSkills } from './load-skills.node.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gantry-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const md = (name: string) => `---\nname: ${name}\ndescription: About ${name}\n---\n`

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

describe('loadSkills', () => {
  it('finds every skill below a directory, in order, without dot files and links', async () => {
    write({
      'pdf/SKILL.md': md('pdf'),
      'pdf/references/FORMS.md': 'forms',
      'pdf/.git/config': 'secret',
      'acme/refunds/SKILL.md': md('refunds'),
      'acme/refunds/nested/SKILL.md': md('nested'),
      'README.md': 'not a skill',
    })
    writeFileSync(join(root, 'outside'), 'outside')
    symlinkSync(join(root, 'outside'), join(root, 'pdf/link.md'))
    const loaded = await loadSkills(root)
    expect(loaded.map(({ path, files }) => [path, Object.keys(files)])).toEqual([
      ['acme/refunds', ['SKILL.md', 'nested/SKILL.md']],
      ['acme/refunds/nested', ['SKILL.md']],
      ['pdf', ['SKILL.md', 'references/FORMS.md']],
    ])
    const app = new Server({ name: 'docs' })
    skills(app, loaded)
    expect(app.capabilities.resources).toBeDefined()
  })

  it('takes a directory that is a skill itself', async () => {
    write({ 'greet/SKILL.md': md('greet') })
    expect(await loadSkills(join(root, 'greet'))).toMatchObject([{ path: 'greet' }])
  })

  it('says what is wrong: nothing there, no skill, too much', async () => {
    await expect(loadSkills(join(root, 'missing'))).rejects.toMatchObject({ code: 'invalid_definition' })
    await expect(loadSkills(root)).rejects.toThrow('There is no SKILL.md')
    write({ 'big/SKILL.md': md('big') })
    for (let index = 0; index < 512; index++) writeFileSync(join(root, 'big', `${index}.txt`), '')
    await expect(loadSkills(root)).rejects.toThrow('has 513 files')
  })
})
