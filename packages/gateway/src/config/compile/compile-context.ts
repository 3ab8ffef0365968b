import { TextPlaces } from '../document/text-places.ts'
import { isAbsolute, join, resolve } from 'node:path'
import { readSmallFileSync, Secret, type SourcePlace, type Text } from '../../model/index.ts'
import { type ConfigPath, formatPath, type Problem } from '../problem.ts'
import { adviseReference, parseReferences, type Piece } from './references.ts'
import type { SourceDocument } from '../document/source-document.ts'
import type { UserPlaces } from '../user-places.ts'

const MAX_SECRET_BYTES = 64 * 1024

export interface Report {
  readonly code: Problem['code']
  readonly path: ConfigPath
  readonly message: string
  readonly fix?: string | undefined
  readonly severity?: Problem['severity']
  readonly part?: 'key' | 'value'
}

export class CompileContext {
  readonly problems: Problem[] = []
  /** Files that the configuration was made from besides itself; a watcher watches them too. */
  readonly dependencies: Set<string> = new Set()
  readonly places: UserPlaces
  readonly baseDir: string
  readonly #file: string
  readonly #document: SourceDocument
  readonly #lines: TextPlaces

  constructor(document: SourceDocument, options: { file: string; baseDir: string; places: UserPlaces }) {
    this.#document = document
    this.#lines = new TextPlaces(document.text)
    this.#file = options.file
    this.baseDir = options.baseDir
    this.places = options.places
  }

  report({ severity = 'error', code, path, message, fix, part = 'value' }: Report): void {
    this.#push({ severity, code, message, fix, path: formatPath(path) }, this.#document.locate(path, part))
  }

  /** The place of a value, for errors that are found later. */
  placeOf(path: ConfigPath): SourcePlace {
    return { file: this.#file, ...this.#lines.place(this.#document.locate(path, 'value').offset) }
  }

  get hasErrors(): boolean {
    return this.problems.some(({ severity }) => severity === 'error')
  }

  /** Runs a part of the compilation, and tells whether it went well. */
  attempt<T>(compile: () => T): { value: T; isResolved: boolean } {
    const before = this.problems.length
    const value = compile()
    return { value, isResolved: this.problems.length === before }
  }

  reportSyntax(): void {
    for (const { code, message, fix, range } of this.#document.errors) {
      this.#push({ severity: 'error', code, message, fix, path: '' }, range)
    }
  }

  /** Demotes unresolved references since `start`, so that other servers can start. Returns the first. */
  demoteUnresolved(start: number, to: 'warning' | 'nothing'): string | undefined {
    const recent = this.problems.splice(start)
    const isUnresolved = (problem: Problem) => problem.code === 'unresolved-reference'
    for (const problem of recent) {
      if (!isUnresolved(problem)) this.problems.push(problem)
      else if (to === 'warning') this.problems.push({ ...problem, severity: 'warning' })
    }
    return recent.find(isUnresolved)?.message
  }

  /** A path relative to the configuration, with `~/` for the home folder. */
  toAbsolute(path: string): string {
    if (path === '~' || /^~[/\\]/.test(path)) return join(this.places.home, path.slice(1))
    return isAbsolute(path) ? path : resolve(this.baseDir, path)
  }

  /** Resolved text for places where nothing is secret: hosts, folders, commands. */
  plain(value: string, path: ConfigPath): string {
    return this.#resolve(value, path)?.value ?? ''
  }

  /** Resolved text that is secret as soon as it refers to something. */
  text(value: string, path: ConfigPath): Text {
    const resolved = this.#resolve(value, path)
    return resolved?.referred
      ? new Secret(resolved.value, labelOf(resolved.pieces, true))
      : (resolved?.value ?? '')
  }

  /** Resolved text that is secret even when it is written down, as in `env` and `headers`. */
  secret(value: string | number | boolean, path: ConfigPath): Secret {
    const resolved = this.#resolve(String(value), path)
    return new Secret(resolved?.value ?? '', resolved?.referred ? labelOf(resolved.pieces, false) : undefined)
  }

  /** The same for a credential: a variable that is set to nothing is no credential. */
  credential(value: string, path: ConfigPath): Secret {
    const { value: secret, isResolved } = this.attempt(() => this.secret(value, path))
    if (isResolved && secret.reveal().trim() === '') {
      this.report({
        code: 'unresolved-reference',
        path,
        message: 'The secret is empty',
        fix: 'Check what it refers to: a variable or a file that is there, but has nothing in it',
      })
    }
    return secret
  }

  secrets(values: Record<string, string | number | boolean>, path: ConfigPath): Record<string, Secret> {
    return Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, this.secret(value, [...path, key])]),
    )
  }

  /** The text of a file that is part of the configuration; reports and returns undefined when there is none. */
  read(file: string, path: ConfigPath): string | undefined {
    const absolute = this.toAbsolute(file)
    this.dependencies.add(absolute)
    try {
      return readSmallFileSync(absolute, { most: MAX_SECRET_BYTES })
    } catch (error) {
      const reason =
        (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'it does not exist' : (error as Error).message
      this.report({
        code: 'unresolved-reference',
        path,
        message: `The file ${absolute} cannot be read: ${reason}`,
        fix: 'Create the file, or correct the path: it is relative to the configuration',
      })
      return undefined
    }
  }

  #resolve(
    text: string,
    path: ConfigPath,
  ): { value: string; referred: boolean; pieces: Piece[] } | undefined {
    const pieces = parseReferences(text)
    const parts = pieces.map((piece) => this.#resolvePiece(piece, path))
    if (parts.includes(undefined)) return undefined
    const referred = pieces.some((piece) => piece.type === 'env' || piece.type === 'file')
    return { value: parts.join(''), referred, pieces }
  }

  #resolvePiece(piece: Piece, path: ConfigPath): string | undefined {
    if (piece.type === 'text') return piece.text
    if (piece.type === 'file') return this.read(piece.path, path)?.replace(/\r?\n$/, '')
    if (piece.type === 'env') return this.#environment(piece, path)
    const fix = adviseReference(piece.text)
    const message = `${piece.text} is left as it is`
    if (fix) this.report({ severity: 'warning', code: 'suspicious-reference', path, message, fix })
    return piece.text
  }

  #environment(piece: Piece & { type: 'env' }, path: ConfigPath): string | undefined {
    // As in a shell, `:-` also replaces an empty value.
    const value = this.places.env[piece.name]
    if (piece.fallback !== undefined) return value || piece.fallback
    if (value !== undefined) return value
    this.report({
      code: 'unresolved-reference',
      path,
      message: `The environment variable ${piece.name} is not set`,
      fix: `Set it where the gateway is started, or write a default: \${env:${piece.name}:-…}`,
    })
    return undefined
  }

  #push(
    problem: Omit<Problem, 'file' | 'line' | 'column' | 'length'>,
    range: { offset: number; length: number },
  ): void {
    const start = this.#lines.place(range.offset)
    const end = this.#lines.place(range.offset + range.length)
    const length = end.line === start.line ? range.length : 1
    this.problems.push({ ...problem, file: this.#file, ...start, length })
  }
}

/** Names the sources of a secret. Defaults are left out, and so is plain text unless it may be shown. */
function labelOf(pieces: readonly Piece[], showText: boolean): string {
  return pieces
    .map((piece) => {
      if (piece.type === 'env') return `\${env:${piece.name}}`
      if (piece.type === 'file') return `\${file:${piece.path}}`
      return showText ? piece.text : '…'
    })
    .join('')
}
