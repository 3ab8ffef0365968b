// Loads TypeScript of src/ with a note at the beginning of every function: which file it is in.
import { readFile } from 'node:fs/promises'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'

if (!import.meta.url.endsWith('?hooks')) register(`${import.meta.url}?hooks`)

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context)
  const [{ transform }, { parseAst }] = await Promise.all([import('esbuild'), import('rolldown/parseAst')])
  const path = fileURLToPath(url)
  const source = await readFile(path, 'utf8')
  const note = `globalThis.enterFile?.(${JSON.stringify(path.replace(/^.*[/\\]packages[/\\]/, ''))})`
  const noted = insert(source, notesIn(parseAst(source, { lang: 'ts' }), note))
  const { code } = await transform(noted, { loader: 'ts', format: 'esm' })
  return { format: 'module', source: code, shortCircuit: true }
}

/** Where to insert what, as pairs. */
function notesIn(node, note) {
  if (node === null || typeof node !== 'object') return []
  const inside = Object.values(node).flatMap((child) => notesIn(child, note))
  if (!/^(ArrowFunctionExpression|FunctionDeclaration|FunctionExpression)$/.test(node.type) || !node.body)
    return inside
  const { type, start, end } = node.body
  if (type !== 'BlockStatement' && type !== 'FunctionBody')
    return [...inside, [start, `(${note}, `], [end, ')']]
  return [...inside, [start + 1, `${note};`]]
}

function insert(source, notes) {
  let text = ''
  let from = 0
  for (const [at, what] of notes.sort(([a], [b]) => a - b)) {
    text += source.slice(from, at) + what
    from = at
  }
  return text + source.slice(from)
}
