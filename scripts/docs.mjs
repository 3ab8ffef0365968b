// npm run docs                  makes the site of the documents in site/: static, searchable, light and dark
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { install, installProject } from './lib/install.mjs'
import { ROOT } from './lib/paths.mjs'
import { runNode, stopWithParent } from './lib/processes.mjs'
import { brokenLinks, withoutNeedlessNumbers } from './lib/site-links.mjs'
import { sitePages } from './lib/site-pages.mjs'

const TOOLS = join(ROOT, 'scripts', 'site')
const SITE = join(ROOT, 'site')
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
  for (const part of ['config', 'theme']) {
    const file = part === 'theme' ? 'theme/index.mjs' : 'config.mjs'
    write(`.vitepress/${file}`, `export { default } from ${JSON.stringify(join(TOOLS, `${part}.mjs`))}\n`)
  }
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
  for (const name of readdirSync(join(STAGE, 'api'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.md')) continue
    const file = join(STAGE, 'api', name)
    const textOf = (page) => readFileSync(join(dirname(file), page), 'utf8')
    writeFileSync(file, withoutNeedlessNumbers(readFileSync(file, 'utf8'), textOf))
  }
}

/** VitePress finds links to pages that are not there, but not those to missing anchors. */
function checkLinks() {
  const broken = brokenLinks(SITE)
  if (broken.length > 0) throw new Error(`Links that lead nowhere:\n${broken.join('\n')}`)
}

try {
  await installProject()
  await install(TOOLS, 'what makes the site')
  stagePages()
  await makeReference()
  await must('VitePress', 'vitepress/bin/vitepress.js', ['build', STAGE])
  checkLinks()
  console.log('The site is in site/')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
