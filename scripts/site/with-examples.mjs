// A plugin for TypeDoc: gives every export the examples of the pages, so that types and use stand together.
import { join, relative } from 'node:path'
import { Comment, CommentTag, Converter } from 'typedoc'
import { ENTRIES, readExports } from '../lib/api-examples.mjs'
import { ROOT } from '../lib/paths.mjs'
import { placeOf, titleOf } from '../lib/site-pages.mjs'

export function load(app) {
  const examples = new Map()
  for (const { name, entries, examples: found } of readExports())
    for (const entry of entries) examples.set(`${entry} ${name}`, bestOf(found))
  const entryOf = new Map(ENTRIES.map(({ name, file }) => [moduleOf(file), name]))
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) {
      const entry = entryOf.get(module.name)
      if (entry === undefined)
        throw new Error(`TypeDoc has a module "${module.name}" that is no entry of the SDK`)
      module.name = entry
      for (const reflection of module.children ?? []) {
        const example = examples.get(`${entry} ${reflection.name}`)
        if (example) addExample(reflection, entry, example)
      }
    }
  })
}

/** What TypeDoc calls the module of a file. */
function moduleOf(file) {
  const path = relative(join(ROOT, 'packages', 'mcp', 'src'), file).replaceAll('\\', '/')
  return path.replace(/\.ts$/, '').replace(/\/index$/, '')
}

/** Pages of the reference are written for this; a guide tells more than one thing. */
function bestOf(found) {
  return found.find(({ page }) => page.startsWith('docs/reference/')) ?? found[0]
}

function addExample(reflection, entry, { page, text }) {
  const link = `/${placeOf(page).replace(/(index)?\.md$/, '')}`
  const code = `import { ${reflection.name} } from '${entry}'\n\n${text}`
  const words = `\`\`\`ts\n${code}\n\`\`\`\n\nFrom [${titleOf(page)}](${link}).`
  // The comment of a function belongs to its first signature.
  const owner = reflection.signatures?.[0] ?? reflection
  owner.comment ??= new Comment()
  owner.comment.blockTags = owner.comment.blockTags.filter(({ tag }) => tag !== '@example')
  owner.comment.blockTags.push(new CommentTag('@example', [{ kind: 'text', text: words }]))
}
