import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type ts from 'typescript'
import type { TypeScript } from './load-typescript.ts'

/** The kind of an argument, as far as the text of the project shows it. */
export type Kind = 'text' | 'shape' | 'schema' | 'hints' | 'unknown'

const HINTS = new Set(['title', 'readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'])

/** Follows names to what they were given, through object literals and imports of the project's own files. */
export class SymbolResolver {
  readonly #ts: TypeScript
  readonly #files = new Map<string, ts.SourceFile | undefined>()

  constructor(typescript: TypeScript) {
    this.#ts = typescript
  }

  parse(path: string, text: string): ts.SourceFile {
    const file = this.#ts.createSourceFile(path, text, this.#ts.ScriptTarget.Latest, true)
    this.#files.set(path, file)
    return file
  }

  kindOf(node: ts.Expression): Kind {
    const ts = this.#ts
    const value = this.valueOf(node)
    if (ts.isStringLiteralLike(value) || ts.isTemplateExpression(value)) return 'text'
    if (ts.isBinaryExpression(value) && value.operatorToken.kind === ts.SyntaxKind.PlusToken) return 'text'
    if (ts.isObjectLiteralExpression(value)) {
      const names = value.properties.map((property) => property.name?.getText() ?? '')
      return names.length > 0 && names.every((name) => HINTS.has(name)) ? 'hints' : 'shape'
    }
    if (ts.isPropertyAccessExpression(value)) return value.name.text === 'shape' ? 'shape' : 'unknown'
    if (!ts.isCallExpression(value) || !ts.isPropertyAccessExpression(value.expression)) return 'unknown'
    // `z.object(…)`, and what is chained to it: `.strict()`, `.extend(…)`.
    const { expression, name } = value.expression
    if (/^(object|strictObject|looseObject)$/.test(name.text)) return 'schema'
    return this.kindOf(expression) === 'schema' ? 'schema' : 'unknown'
  }

  /** The expression behind names, casts and parentheses; itself where that cannot be told. */
  valueOf(node: ts.Expression, depth = 0): ts.Expression {
    const ts = this.#ts
    if (depth > 10) return node
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node))
      return this.valueOf(node.expression, depth + 1)
    if (ts.isIdentifier(node)) {
      const found = this.#initializer(node.text, node)
      return found ? this.valueOf(found, depth + 1) : node
    }
    if (!ts.isPropertyAccessExpression(node)) return node
    const owner = this.valueOf(node.expression, depth + 1)
    const member = ts.isObjectLiteralExpression(owner) ? propertyOf(owner, node.name.text, ts) : undefined
    return member ? this.valueOf(member, depth + 1) : node
  }

  /** Looks in the block of a node, and in those around it. */
  #initializer(name: string, from: ts.Node): ts.Expression | undefined {
    const ts = this.#ts
    for (let scope = from; scope !== undefined; scope = scope.parent) {
      if (!ts.isBlock(scope) && !ts.isSourceFile(scope)) continue
      for (const statement of scope.statements) {
        const found = this.#declared(name, statement)
        if (found) return found
      }
    }
    return undefined
  }

  #declared(name: string, statement: ts.Statement): ts.Expression | undefined {
    const ts = this.#ts
    if (ts.isVariableStatement(statement))
      for (const declared of statement.declarationList.declarations)
        if (ts.isIdentifier(declared.name) && declared.name.text === name) return declared.initializer
    if (!ts.isImportDeclaration(statement)) return undefined
    const { importClause, moduleSpecifier } = statement
    const bindings = importClause?.namedBindings
    if (!bindings || !ts.isNamedImports(bindings) || !ts.isStringLiteral(moduleSpecifier)) return undefined
    const found = bindings.elements.find((element) => element.name.text === name)
    const other = found && this.#imported(moduleSpecifier.text, statement.getSourceFile())
    return other && this.#initializer((found.propertyName ?? found.name).text, other)
  }

  #imported(specifier: string, from: ts.SourceFile): ts.SourceFile | undefined {
    if (!specifier.startsWith('.')) return undefined
    const path = resolve(dirname(from.fileName), specifier)
    const places = [path.replace(/\.([cm]?)js$/, '.$1ts'), path, `${path}.ts`, `${path}.js`]
    const place = places.find((candidate) => /\.[cm]?[jt]s$/.test(candidate) && existsSync(candidate))
    if (place === undefined) return undefined
    if (!this.#files.has(place)) this.parse(place, readFileSync(place, 'utf8'))
    return this.#files.get(place)
  }
}

/** The value of a property of an object literal. */
export function propertyOf(
  literal: ts.ObjectLiteralExpression,
  name: string,
  typescript: TypeScript,
): ts.Expression | undefined {
  for (const property of literal.properties) {
    if (property.name?.getText().replaceAll(/['"]/g, '') !== name) continue
    if (typescript.isPropertyAssignment(property)) return property.initializer
    if (typescript.isShorthandPropertyAssignment(property)) return property.name
  }
  return undefined
}
