import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'

/** The anchor that GitHub makes of a heading. The site has the same, so that a link works in both places. */
export function slugOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

/** TypeDoc numbers some anchors that are alone on their page; their links lose the number. */
export function withoutNeedlessNumbers(text, textOf) {
  return text.replaceAll(/\]\(([^)\s#]*)#([\w-]+)-\d+\)/g, (whole, page, slug) => {
    const target = page === '' ? text : textOf(page)
    const same = target.match(/^#+ .+$/gm)?.filter((line) => slugOf(line.replace(/^#+ /, '')) === slug)
    return same?.length === 1 ? `](${page}#${slug})` : whole
  })
}

/** Links inside of a site that lead to no page, no file or no anchor. */
export function brokenLinks(site) {
  const names = readdirSync(site, { recursive: true, encoding: 'utf8' }).map((name) =>
    name.replaceAll('\\', '/'),
  )
  const pages = names.filter((name) => name.endsWith('.html') && name !== '404.html')
  const texts = new Map(pages.map((name) => [name, readFileSync(join(site, name), 'utf8')]))
  const anchors = new Map([...texts].map(([name, text]) => [name, new Set(valuesOf(text, 'id'))]))
  const isBroken = (page, link) => {
    const [path, anchor] = link.split('#')
    const place = posix.join('/', path.startsWith('/') ? '' : posix.dirname(page), path).slice(1)
    const found = path === '' ? page : fileOf(site, place)
    if (found === undefined) return true
    return Boolean(anchor) && anchors.get(found)?.has(decodeURIComponent(anchor)) === false
  }
  return [...texts].flatMap(([page, text]) => {
    const links = [...valuesOf(text, 'href'), ...valuesOf(text, 'src')]
    const inside = new Set(links.filter((link) => !/^[a-z]+:|^\/\//i.test(link)))
    return [...inside].filter((link) => isBroken(page, link)).map((link) => `${page}: ${link}`)
  })
}

function valuesOf(html, attribute) {
  const found = html.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, 'g'))
  return [...found].map(([, value]) => value.replaceAll('&amp;', '&'))
}

/** Addresses have no ending: `/guide/client` is `guide/client.html`, or `guide/client/index.html`. */
function fileOf(site, place) {
  const files = [place, `${place.replace(/\/$/, '')}.html`, posix.join(place, 'index.html')]
  return files.find((file) => existsSync(join(site, file)) && statSync(join(site, file)).isFile())
}
