import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { ROOT } from './paths.mjs'

const NAMED = {
  Tutorial: ['docs/quick-start.md', 'docs/guide/first-server.md', 'docs/guide/client.md'],
  'Coming from': [
    'docs/coming-from-official-sdks.md',
    'docs/coming-from-fastmcp-typescript.md',
    'docs/coming-from-fastmcp-python.md',
    'docs/coming-from-python-sdk.md',
    'docs/coming-from-ruby-sdk.md',
    'docs/coming-from-others.md',
  ],
  'How to write servers and clients': [
    'docs/guide/resources-and-prompts.md',
    'docs/guide/questions.md',
    'docs/guide/lists.md',
    'docs/guide/hooks.md',
    'docs/guide/middleware.md',
    'docs/guide/testing.md',
    'docs/guide/transports.md',
    'docs/guide/tasks.md',
    'docs/guide/skills.md',
    'docs/guide/apps.md',
    'docs/http.md',
    'docs/guard.md',
    'docs/oauth.md',
  ],
  'How to run the gateway': [
    'docs/console.md',
    'docs/openapi.md',
    'docs/recordings.md',
    'docs/results.md',
    'docs/telemetry.md',
    'docs/running-in-production.md',
    'docs/scaling.md',
    'docs/store.md',
  ],
  'The SDK by example': [
    'docs/reference/server.md',
    'docs/reference/client.md',
    'docs/reference/protocol.md',
    'docs/reference/auth.md',
    'docs/reference/extensions.md',
    'docs/reference/testing.md',
    'docs/reference/exchange.md',
  ],
  Reference: ['docs/configuration.md', 'docs/cli.md', 'docs/errors.md', 'CHANGELOG.md'],
  Explanation: [
    'docs/how-the-eras-are-joined.md',
    'docs/threat-model.md',
    'docs/performance.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
  ],
  'What was measured': [
    'docs/conformance.md',
    'docs/behaviours.md',
    'docs/zoo.md',
    'docs/benchmarks.md',
    'docs/requirements/2026-07-28.md',
    'docs/requirements/2025-11-25.md',
  ],
  Decisions: readdirSync(join(ROOT, 'docs/adr'))
    .sort((a, b) => (a === 'README.md' ? -1 : b === 'README.md' ? 1 : a.localeCompare(b)))
    .map((name) => `docs/adr/${name}`),
}

/** Where a page goes that is not named above. */
function groupOf(page) {
  if (page.startsWith('docs/guide/')) return 'How to write servers and clients'
  if (page.startsWith('docs/reference/')) return 'The SDK by example'
  return page.startsWith('docs/requirements/') ? 'What was measured' : 'How to run the gateway'
}

/** Where the pages stand in the menu of the site. Every page of `docs/` is in it once; a test looks. */
export const MENU = withTheRest(NAMED)

function withTheRest(named) {
  const known = new Set(['docs/README.md', ...Object.values(named).flat()])
  const all = readdirSync(join(ROOT, 'docs'), { recursive: true }).map(
    (name) => `docs/${name.replaceAll('\\', '/')}`,
  )
  const rest = all.filter((page) => page.endsWith('.md') && !known.has(page)).sort()
  return Object.fromEntries(
    Object.entries(named).map(([group, pages]) => [
      group,
      [...pages, ...rest.filter((page) => groupOf(page) === group)],
    ]),
  )
}

const PAGES = ['docs/README.md', ...Object.values(MENU).flat()]

/** The file of a page on the site. */
export function placeOf(page) {
  if (page === 'docs/README.md') return 'index.md'
  return page.startsWith('docs/')
    ? page.slice('docs/'.length).replace(/README\.md$/, 'index.md')
    : page.toLowerCase()
}

export function titleOf(page) {
  return /^# (.+)$/m.exec(readFileSync(join(ROOT, page), 'utf8'))?.[1].replaceAll('`', '') ?? page
}

/** What the site begins with, in front of the list of all documents. */
const BEGINNING = `# Gantry

MCP servers, clients and a gateway. Write a handler once, and every client can use it. Put a server behind Gantry, and it does not disappear.

- **Tutorial**: [quick start](./quick-start.md), [a first server](./guide/first-server.md), [a client](./guide/client.md)
- **How-to guides**: [questions](./guide/questions.md), [tasks](./guide/tasks.md), [HTTP](./http.md), [running in production](./running-in-production.md)
- **Reference**: [configuration](./configuration.md), [commands](./cli.md), [errors](./errors.md), [the SDK by example](./reference/server.md)
- **Explanation**: [how the eras are joined](./how-the-eras-are-joined.md), [threat model](./threat-model.md), [decisions](./adr/index.md)
`

/**
 * The pages by their files on the site. Links to files that are no pages become plain text.
 *
 * @returns {[place: string, text: string][]}
 */
export function sitePages() {
  return PAGES.map((page) => {
    const text = withLinks(page, readFileSync(join(ROOT, page), 'utf8'))
    return [
      placeOf(page),
      page === 'docs/README.md' ? BEGINNING + text.replace(/^# .*$/m, '## All documents') : text,
    ]
  })
}

function withLinks(page, text) {
  return outsideCode(text, (part) =>
    // Vite takes a path without a dot for the name of a package.
    part
      .replaceAll(/\b(src|srcset)="images\//g, '$1="./images/')
      .replaceAll(/(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (whole, image, label, link) => {
        if (image || /^[a-z]+:|^#/i.test(link)) return whole
        const [path, anchor] = link.split('#')
        const target = posix.normalize(posix.join(posix.dirname(page), path)).replace(/\/$/, '/README.md')
        if (!PAGES.includes(target)) return label
        const way = posix.relative(posix.dirname(placeOf(page)), placeOf(target))
        return `[${label}](${way.startsWith('.') ? way : `./${way}`}${anchor ? `#${anchor}` : ''})`
      }),
  )
}

function outsideCode(text, change) {
  const parts = text.split(/(^ *```[\s\S]*?^ *```$)/m)
  return parts.map((part, at) => (at % 2 === 0 ? change(part) : part)).join('')
}

/** The menu as VitePress wants it. */
export function sidebar() {
  const link = (page) =>
    `/${placeOf(page)
      .replace(/(^|\/)index\.md$/, '$1')
      .replace(/\.md$/, '')}`
  const shorter = (title) =>
    title.replace(/^Coming from (the )?/, '').replace(/^./, (first) => first.toUpperCase())
  const groups = Object.entries(MENU).map(([text, pages]) => ({
    text,
    // The page of decisions lists them all.
    items: pages
      .slice(0, text === 'Decisions' ? 1 : pages.length)
      .map((page) => ({ text: shorter(titleOf(page)), link: link(page) })),
  }))
  const reference = groups.find(({ text }) => text === 'Reference')
  reference.items.push({ text: 'API of the SDK', link: '/api/' })
  return groups
}
