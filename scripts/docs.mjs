// npm run docs                  makes the site of the documents in site/: static, searchable, light and dark
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { install, installProject } from './lib/install.mjs'
import { ROOT } from './lib/paths.mjs'
import { runNode, stopWithParent } from './lib/processes.mjs'
import { sidebar, sitePages } from './lib/site-pages.mjs'

const TOOLS = join(ROOT, 'scripts', 'site')
/** Pages are put together here, as VitePress wants them. */
const STAGE = join(ROOT, 'node_modules', '.cache', 'gantry', 'site')

stopWithParent()

async function must(what, tool, args) {
  const code = await runNode([join(TOOLS, 'node_modules', tool), ...args])
  if (code !== 0) throw new Error(`${what} failed; its messages are above`)
}

function stagePages() {
  rmSync(STAGE, { recursive: true, force: true })
  for (const [file, text] of sitePages()) write(file, text)
  cpSync(join(ROOT, 'docs/images'), join(STAGE, 'images'), { recursive: true })
  const config = {
    title: 'Gantry',
    description: 'An SDK and a gateway for the Model Context Protocol',
    lang: 'en',
    cleanUrls: true,
    outDir: join(ROOT, 'site'),
    // Colours and labels that everybody can read: axe finds nothing on these pages.
    markdown: {
      theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
      languageAlias: { caddyfile: 'nginx' },
    },
    head: [
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
  write('.vitepress/config.mjs', `export default ${JSON.stringify(config, undefined, 2)}\n`)
}

function write(file, text) {
  mkdirSync(dirname(join(STAGE, file)), { recursive: true })
  writeFileSync(join(STAGE, file), text)
}

/** The public entries, from their types. */
async function makeReference() {
  const { ENTRIES } = await import('./lib/api-examples.mjs')
  await must('TypeDoc', 'typedoc/bin/typedoc', [
    ...['--options', join(TOOLS, 'typedoc.json')],
    ...['--plugin', 'typedoc-plugin-markdown', '--plugin', join(TOOLS, 'with-examples.mjs')],
    // The root entry has what the server and the client have; it would take their pages away.
    ...ENTRIES.slice(1).flatMap(({ file }) => ['--entryPoints', file]),
    ...['--out', join(STAGE, 'api')],
  ])
}

try {
  await installProject()
  await install(TOOLS, 'what makes the site')
  stagePages()
  await makeReference()
  await must('VitePress', 'vitepress/bin/vitepress.js', ['build', STAGE])
  console.log('The site is in site/')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
