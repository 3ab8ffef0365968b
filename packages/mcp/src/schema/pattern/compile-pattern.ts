import { hasCodePoint } from './char-set.ts'
import type { PatternNode } from './parse-pattern.ts'

/** One instruction; `next` and `other` are indexes into the program. */
export type Instruction =
  | { readonly op: 'char'; readonly accepts: (codePoint: number) => boolean; next: number }
  | { readonly op: 'split'; next: number; other: number }
  | { readonly op: 'assert'; readonly what: '^' | '$' | 'b' | 'B'; next: number }
  | { readonly op: 'ahead'; readonly body: readonly Instruction[]; readonly negated: boolean; next: number }
  | { readonly op: 'match' }

/** Instructions of one expression; repetition counts multiply them. */
const MAX_INSTRUCTIONS = 5_000

/** Compiles a tree to a program for the matcher; `undefined` when its repetition counts make it too long. */
export function compilePattern(node: PatternNode): readonly Instruction[] | undefined {
  const program: Instruction[] = []
  if (!emit(node, program) || program.length > MAX_INSTRUCTIONS) return undefined
  program.push({ op: 'match' })
  return program
}

/** Appends the code of a node; control falls through to the instruction after it. */
function emit(node: PatternNode, program: Instruction[]): boolean {
  if (program.length > MAX_INSTRUCTIONS) return false
  switch (node.kind) {
    case 'set':
      program.push({ op: 'char', accepts: acceptor(node), next: program.length + 1 })
      return true
    case 'assert':
      program.push({ op: 'assert', what: node.what, next: program.length + 1 })
      return true
    case 'sequence':
      return node.parts.every((part) => emit(part, program))
    case 'choice':
      return emitChoice(node.options, program)
    case 'repeat':
      return emitRepeat(node, program)
    case 'ahead': {
      const body = compilePattern(node.body)
      if (body === undefined) return false
      program.push({ op: 'ahead', body, negated: node.negated, next: program.length + 1 })
      return true
    }
  }
}

function emitChoice(options: readonly PatternNode[], program: Instruction[]): boolean {
  const exits: { next: number }[] = []
  for (const [index, option] of options.entries()) {
    const split = { op: 'split' as const, next: program.length + 1, other: program.length + 1 }
    program.push(split)
    if (!emit(option, program)) return false
    if (index === options.length - 1) break
    const exit = { op: 'split' as const, next: 0, other: 0 }
    program.push(exit)
    exits.push(exit)
    split.other = program.length
  }
  for (const exit of exits) Object.assign(exit, { next: program.length, other: program.length })
  return true
}

function emitRepeat(node: PatternNode & { kind: 'repeat' }, program: Instruction[]): boolean {
  const { body, min, max } = node
  if (min > MAX_INSTRUCTIONS || (max !== Number.POSITIVE_INFINITY && max > MAX_INSTRUCTIONS)) return false
  const before = program.length
  for (let i = 0; i < min; i++) {
    if (!emit(body, program)) return false
    // Repeating nothing is nothing, and doing it thousands of thousands of times takes long.
    if (program.length === before) return true
  }
  if (max === Number.POSITIVE_INFINITY) {
    const loop = { op: 'split' as const, next: program.length + 1, other: 0 }
    const start = program.length
    program.push(loop)
    if (!emit(body, program)) return false
    program.push({ op: 'split', next: start, other: start })
    loop.other = program.length
    return true
  }
  const skips: { other: number }[] = []
  for (let i = min; i < max; i++) {
    const skip = { op: 'split' as const, next: program.length + 1, other: 0 }
    program.push(skip)
    skips.push(skip)
    if (!emit(body, program)) return false
  }
  for (const skip of skips) skip.other = program.length
  return true
}

function acceptor(node: PatternNode & { kind: 'set' }): (codePoint: number) => boolean {
  const { set, properties, negated } = node
  if (properties.length === 0) return (codePoint) => hasCodePoint(set, codePoint) !== negated
  return (codePoint) => {
    const char = String.fromCodePoint(codePoint)
    const inside = hasCodePoint(set, codePoint) || properties.some((property) => property.test(char))
    return inside !== negated
  }
}
