import { isSame } from '../../model/index.ts'
import type { ConfigPath } from '../problem.ts'

/** One small change of a text. `insert` adds a key at the end of an object, or an entry at the end of a list. */
export type Edit =
  | { readonly type: 'replace'; readonly path: ConfigPath; readonly value: unknown }
  | { readonly type: 'insert'; readonly path: ConfigPath; readonly value: unknown }
  | { readonly type: 'remove'; readonly path: ConfigPath }

/** The smallest edits from one value to another, so that unchanged parts keep comments and form. */
export function planEdits(before: unknown, after: unknown, path: ConfigPath = []): Edit[] {
  if (isSame(before, after)) return []
  if (Array.isArray(before) && Array.isArray(after)) return planList(before, after, path)
  if (isRecord(before) && isRecord(after)) return planRecord(before, after, path)
  return [{ type: 'replace', path, value: after }]
}

function planRecord(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  path: ConfigPath,
): Edit[] {
  const kept = Object.keys(before).filter((key) => Object.hasOwn(after, key))
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  const added = Object.keys(after).filter((key) => !Object.hasOwn(before, key))
  const isAllNew = kept.length === 0 && removed.length > 0 && added.length > 0
  if (isAllNew) return [{ type: 'replace', path, value: after }]
  return [
    ...kept.flatMap((key) => planEdits(before[key], after[key], [...path, key])),
    ...removed.map((key): Edit => ({ type: 'remove', path: [...path, key] })),
    ...added.map((key): Edit => ({ type: 'insert', path: [...path, key], value: after[key] })),
  ]
}

/** Lists are edited in place when entries were changed, added at the end, or taken out; else written anew. */
function planList(before: readonly unknown[], after: readonly unknown[], path: ConfigPath): Edit[] {
  const isOfScalars = ![...before, ...after].some((entry) => typeof entry === 'object' && entry !== null)
  if (isOfScalars || before.length === 0 || after.length === 0)
    return [{ type: 'replace', path, value: after }]
  if (after.length >= before.length) {
    return after.flatMap((entry, index): Edit[] =>
      index < before.length
        ? planEdits(before[index], entry, [...path, index])
        : [{ type: 'insert', path: [...path, index], value: entry }],
    )
  }
  const dropped = findDropped(before, after)
  if (!dropped) return [{ type: 'replace', path, value: after }]
  return dropped.reverse().map((index) => ({ type: 'remove', path: [...path, index] }))
}

function findDropped(before: readonly unknown[], after: readonly unknown[]): number[] | undefined {
  const dropped: number[] = []
  let next = 0
  before.forEach((entry, index) => {
    if (next < after.length && isSame(entry, after[next])) next++
    else dropped.push(index)
  })
  return next === after.length ? dropped : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The style of a file, so that new text looks like the rest. */
export interface TextStyle {
  readonly indent: string
  readonly eol: string
}

export function styleOf(text: string): TextStyle {
  const indented = /^([ \t]+)[^\s#*/]/m.exec(text)
  return { indent: indented?.[1] ?? '  ', eol: text.includes('\r\n') ? '\r\n' : '\n' }
}

export function indentAt(text: string, offset: number): string {
  const line = text.slice(lineStart(text, offset))
  return /^[ \t]*/.exec(line)![0]
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  if (end < 0) return text.length
  return text[end - 1] === '\r' && end > offset ? end - 1 : end
}

export function splice(text: string, start: number, end: number, insert: string): string {
  return text.slice(0, start) + insert + text.slice(end)
}
