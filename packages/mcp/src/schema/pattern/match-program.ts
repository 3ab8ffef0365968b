import { MAX_PATTERN_STEPS, TooCostly } from '../limits.ts'
import { hasCodePoint, WORD } from './char-set.ts'
import type { Instruction } from './compile-pattern.ts'

type Program = readonly Instruction[]
type LookAhead = Extract<Instruction, { op: 'ahead' }>

/** A text, with the steps that were spent on it and what was found out about it. */
interface Subject {
  readonly text: string
  stepsLeft: number
  /** Whether a look-ahead holds at a position. It is tried only once, so that nested look-aheads cannot multiply. */
  readonly ahead: Map<LookAhead, Map<number, boolean>>
}

/** Follows all paths at once (Thompson's construction), in time text × program. */
export function matchProgram(program: Program, text: string): boolean {
  return run(program, { text, stepsLeft: MAX_PATTERN_STEPS, ahead: new Map() }, 0, true)
}

/** `search`: a match may start anywhere from `start` on; otherwise exactly there. */
function run(program: Program, subject: Subject, start: number, search: boolean): boolean {
  const { text } = subject
  let current: number[] = []
  let upcoming: number[] = []
  // The position at which an instruction was last queued; spares a set per position.
  const queuedAt = new Int32Array(program.length).fill(-1)
  for (let at = start; ; ) {
    if ((search || at === start) && follow(program, 0, subject, at, queuedAt, current)) return true
    const codePoint = text.codePointAt(at)
    if (codePoint === undefined || (current.length === 0 && !search)) return false
    at += codePoint > 0xffff ? 2 : 1
    for (const index of current) {
      const instruction = program[index]!
      if (instruction.op === 'char' && instruction.accepts(codePoint)) {
        if (follow(program, instruction.next, subject, at, queuedAt, upcoming)) return true
      }
    }
    spend(subject, current.length + 1)
    ;[current, upcoming] = [upcoming, current]
    upcoming.length = 0
  }
}

/** Queues what is reachable without reading a character; true when that includes the end of the program. */
function follow(
  program: Program,
  from: number,
  subject: Subject,
  at: number,
  queuedAt: Int32Array,
  queue: number[],
): boolean {
  const stack = [from]
  let steps = 0
  for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
    steps += 1
    if (queuedAt[index] === at) continue
    queuedAt[index] = at
    const instruction = program[index]!
    if (instruction.op === 'match') return true
    if (instruction.op === 'char') queue.push(index)
    else if (instruction.op === 'split') stack.push(instruction.other, instruction.next)
    else if (holds(instruction, subject, at)) stack.push(instruction.next)
  }
  spend(subject, steps)
  return false
}

function spend(subject: Subject, steps: number): void {
  subject.stepsLeft -= steps
  if (subject.stepsLeft < 0) throw new TooCostly('a pattern takes too many steps on so long a text')
}

function holds(
  instruction: Extract<Instruction, { op: 'assert' | 'ahead' }>,
  subject: Subject,
  at: number,
): boolean {
  if (instruction.op === 'ahead') return isAhead(instruction, subject, at)
  if (instruction.what === '^') return at === 0
  if (instruction.what === '$') return at === subject.text.length
  const atBoundary = isWord(subject.text.charCodeAt(at - 1)) !== isWord(subject.text.charCodeAt(at))
  return atBoundary === (instruction.what === 'b')
}

function isAhead(instruction: LookAhead, subject: Subject, at: number): boolean {
  const known = subject.ahead.get(instruction) ?? new Map<number, boolean>()
  subject.ahead.set(instruction, known)
  let holds = known.get(at)
  if (holds === undefined) {
    holds = run(instruction.body, subject, at, false) !== instruction.negated
    known.set(at, holds)
  }
  return holds
}

function isWord(codeUnit: number): boolean {
  return hasCodePoint(WORD, codeUnit)
}
