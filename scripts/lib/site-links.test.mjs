import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { brokenLinks, slugOf, withoutNeedlessNumbers } from './site-links.mjs'

const site = mkdtempSync(join(tmpdir(), 'gantry-site-'))
afterAll(() => rmSync(site, { recursive: true, force: true }))

it('makes the anchors that GitHub makes', () => {
  expect(slugOf("Lines of the gateway's log")).toBe('lines-of-the-gateways-log')
  expect(slugOf('`McpError`: codes')).toBe('mcperror-codes')
})

it('finds links to pages, files and anchors that are not there', () => {
  mkdirSync(join(site, 'guide'))
  const good = ['./guide/client', '/guide/client#types', '#top', 'logo.svg', '/guide/', 'https://example.com']
  const bad = ['./guide/none', '/guide/client#none', '#none', 'none.svg']
  const links = [...good, ...bad].map((link) => `<a href="${link}">x</a>`).join('')
  writeFileSync(join(site, 'index.html'), `<p id="top">${links}</p>`)
  writeFileSync(join(site, 'guide', 'client.html'), '<h2 id="types">Types</h2><a href="../">x</a>')
  writeFileSync(join(site, 'guide', 'index.html'), '')
  writeFileSync(join(site, 'logo.svg'), '')
  expect(brokenLinks(site)).toEqual(bad.map((link) => `index.html: ${link}`))
})

it('takes numbers only from anchors that are alone on their page', () => {
  const page = '### Once\n### Twice\n### Twice\n[a](#once-1) [b](#twice-1) [c](other.md#once-1)'
  expect(withoutNeedlessNumbers(page, () => '### Once\n### Once')).toBe(
    page.replace('#once-1) [b]', '#once) [b]'),
  )
})
