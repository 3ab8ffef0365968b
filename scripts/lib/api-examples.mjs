import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { ROOT } from './paths.mjs'
import { blocksOf, PAGES } from './snippets.mjs'

const SDK = join(ROOT, 'packages', 'mcp')
const { name: PACKAGE, exports } = JSON.parse(readFileSync(join(SDK, 'package.json'), 'utf8'))

/** The public entries of the SDK: how they are imported, and the file that each is. */
export const ENTRIES = Object.entries(exports)
  .filter(([, target]) => typeof target === 'object')
  .map(([path, target]) => ({ name: PACKAGE + path.slice(1), file: join(SDK, target['@gantry/source']) }))

/**
 * Every export of every entry: its names by entry, and the pieces of code on the pages that use it. What two entries
 * export is one thing, with the examples of both.
 *
 * @returns {{ name: string, entries: string[], members: string[], examples: { page: string, text: string, names: Set<string> }[] }[]}
 */
export function readExports() {
  const program = ts.createProgram(
    ENTRIES.map(({ file }) => file),
    { noLib: true, types: [], module: ts.ModuleKind.NodeNext, customConditions: ['@gantry/source'] },
  )
  const checker = program.getTypeChecker()
  const things = new Map()
  const byImport = new Map()
  for (const { name: entry, file } of ENTRIES) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file))
    for (const symbol of checker.getExportsOfModule(module)) {
      const origin = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
      const thing = things.get(origin) ?? {
        name: symbol.name,
        entries: [],
        examples: [],
        members: membersOf(origin),
      }
      things.set(origin, thing)
      thing.entries.push(entry)
      byImport.set(`${entry} ${symbol.name}`, thing)
    }
  }
  for (const page of PAGES) addExamples(page, byImport)
  return [...things.values()]
}

/** The public members that a class or an interface declares itself. */
function membersOf(symbol) {
  const members = (symbol.declarations ?? []).flatMap(({ members = [] }) => [...members])
  const names = members.flatMap(({ name, modifiers = [] }) => {
    const isHidden = modifiers.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword)
    return name && ts.isIdentifier(name) && !isHidden ? [name.text] : []
  })
  return [...new Set(names)]
}

/** The blocks of one page; those without a mark are one program, so that an import in one holds in the next. */
function addExamples(page, byImport) {
  const blocks = blocksOf(readFileSync(join(ROOT, page), 'utf8')).filter(({ language }) => language === 'ts')
  const shared = new Map()
  for (const { mark, text } of blocks) {
    const isShared = mark === '' || mark === 'no-run'
    const imported = isShared ? shared : new Map()
    const file = ts.createSourceFile('block.ts', text, ts.ScriptTarget.Latest)
    for (const [local, thing] of importsOf(file, byImport)) imported.set(local, thing)
    const used = namesIn(file)
    for (const [local, thing] of imported)
      if (used.has(local)) thing.examples.push({ page, text: excerptOf(file, local), names: used })
  }
}

/** The statements of a block that use a name. */
function excerptOf(file, name) {
  const statements = file.statements.filter(
    (node) => !ts.isImportDeclaration(node) && namesIn(node).has(name),
  )
  return statements.map((node) => node.getText(file)).join('\n')
}

function* importsOf(file, byImport) {
  for (const node of file.statements) {
    if (!ts.isImportDeclaration(node)) continue
    const bindings = node.importClause?.namedBindings
    if (!bindings || !ts.isNamedImports(bindings)) continue
    for (const { name, propertyName } of bindings.elements) {
      const thing = byImport.get(`${node.moduleSpecifier.text} ${(propertyName ?? name).text}`)
      if (thing) yield [name.text, thing]
    }
  }
}

/** All names in the code, without those that are only imported. */
function namesIn(root) {
  const names = new Set()
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) return
    if (ts.isIdentifier(node)) names.add(node.text)
    ts.forEachChild(node, visit)
  }
  visit(root)
  return names
}
