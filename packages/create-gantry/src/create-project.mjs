import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CreateError } from './create-error.mjs'
import { FRAMEWORKS } from './frameworks.mjs'

const TEMPLATES = fileURLToPath(new URL('../templates/', import.meta.url))
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** What may be in a folder already. */
const HARMLESS = ['.git', '.DS_Store']

/**
 * Writes a project. The `package.json` of all layers are joined, and null takes a member away; `_gitignore` becomes
 * `.gitignore`, which npm would leave out of this package.
 */
export function createProject({ folder, name, framework }) {
  refuseTaken(folder)
  const { layers, label, url } = FRAMEWORKS[framework]
  const values = { name, version, label, url }
  const manifest = {}
  for (const template of layers) {
    for (const path of filesIn(join(TEMPLATES, template))) {
      const text = fill(readFileSync(join(TEMPLATES, template, path), 'utf8'), values)
      if (path === 'package.json') merge(manifest, JSON.parse(text))
      else write(join(folder, dirname(path), basename(path).replace(/^_/, '.')), text)
    }
  }
  write(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
}

function refuseTaken(folder) {
  if (!existsSync(folder)) return
  let names
  try {
    names = readdirSync(folder).filter((name) => !HARMLESS.includes(name))
  } catch {
    throw new CreateError(`${folder} is not a folder that can be read. Choose another name.`)
  }
  if (names.length > 0)
    throw new CreateError(
      `${folder} is not empty: it has ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}. Choose another name, or empty it.`,
    )
}

function filesIn(folder, under = '') {
  return readdirSync(join(folder, under), { withFileTypes: true }).flatMap((entry) => {
    const path = join(under, entry.name)
    return entry.isDirectory() ? filesIn(folder, path) : [path]
  })
}

function fill(text, values) {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, key) => values[key])
}

function merge(into, from) {
  for (const [key, value] of Object.entries(from)) {
    if (typeof value === 'object' && typeof into[key] === 'object') merge(into[key], value)
    else if (value === null) delete into[key]
    else into[key] = value
  }
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
