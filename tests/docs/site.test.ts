import { readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { MENU, sidebar, sitePages } from '../../scripts/lib/site-pages.mjs'

const places = new Map<string, string>(sitePages())

describe('the site', () => {
  it('has every page of docs/ in its menu, once', () => {
    const inDocs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && name !== 'README.md')
      .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    const inMenu = Object.values(MENU).flat()
    expect(inMenu.filter((page) => page.startsWith('docs/')).sort()).toEqual(inDocs.sort())
    expect(new Set(inMenu).size).toBe(inMenu.length)
  })

  it('has no link between pages that leads nowhere', () => {
    const broken: string[] = []
    for (const [place, text] of places) {
      const prose = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').replaceAll(/`[^`\n]*`/g, '')
      for (const [, link] of prose.matchAll(/(?<!!)\[[^\]]*\]\(([^)\s#]+)[^)]*\)/g)) {
        if (/^[a-z]+:/i.test(link!)) continue
        if (!places.has(posix.normalize(posix.join(posix.dirname(place), link!))))
          broken.push(`${place}: ${link}`)
      }
    }
    expect(broken).toEqual([])
  })

  it('has a menu whose entries are pages', () => {
    const links = sidebar().flatMap(({ items }) => items.map(({ link }: { link: string }) => link))
    const fileOf = (link: string) => (link.endsWith('/') ? `${link}index.md` : `${link}.md`).slice(1)
    expect(links.filter((link: string) => link !== '/api/' && !places.has(fileOf(link)))).toEqual([])
  })
})
