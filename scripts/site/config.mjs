// How VitePress makes the site; `npm run docs` points it here.
import { join } from 'node:path'
import { ROOT } from '../lib/paths.mjs'
import { slugOf } from '../lib/site-links.mjs'
import { sidebar } from '../lib/site-pages.mjs'

const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><path d='M1 14V3h14v11M1 6h14M8 6v5' fill='none' stroke='%234a6cf7' stroke-width='2'/></svg>"

export default {
  title: 'Gantry',
  description: 'An SDK and a gateway for the Model Context Protocol',
  lang: 'en',
  cleanUrls: true,
  outDir: join(ROOT, 'site'),
  // Colours and labels that everybody can read: axe finds nothing on these pages.
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languageAlias: { caddyfile: 'nginx' },
    anchor: { slugify: slugOf },
    config: drawDiagrams,
  },
  head: [
    ['link', { rel: 'icon', href: ICON }],
    [
      'style',
      {},
      ':root:root { --vp-code-lang-color: var(--vp-c-text-2) } .DocSearch-Button-Keys { display: none !important }',
    ],
  ],
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Tutorial', link: '/quick-start' },
      { text: 'Guides', link: '/guide/questions' },
      { text: 'Reference', link: '/reference/server' },
      { text: 'Explanation', link: '/how-the-eras-are-joined' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
  },
}

/** Blocks of Mermaid become the component of theme.mjs. */
function drawDiagrams(markdown) {
  const { fence } = markdown.renderer.rules
  markdown.renderer.rules.fence = (tokens, at, ...rest) =>
    tokens[at].info.trim() === 'mermaid'
      ? `<Diagram text="${encodeURIComponent(tokens[at].content)}" />`
      : fence(tokens, at, ...rest)
}
