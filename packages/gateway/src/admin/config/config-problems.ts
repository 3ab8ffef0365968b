import type { HiddenText, Problem } from '../../config/index.ts'
import type { ConfigProblem } from '../contract.ts'
import { TextPlaces } from './text-places.ts'

type Restored = ReturnType<HiddenText['restore']>

/** Problems of a restored text, in the places of the text that was edited. */
export function presentProblems(
  problems: readonly Problem[],
  restored: Restored,
  edited: string,
): ConfigProblem[] {
  const from = new TextPlaces(restored.text)
  const to = new TextPlaces(edited)
  return problems.map((problem) => {
    const offset = from.offset(problem.line, problem.column)
    const start = restored.toEdited(offset)
    const end = restored.toEdited(offset + problem.length)
    return { ...toProblem(problem), ...to.place(start), length: Math.max(1, end - start) }
  })
}

/** Masks that hide nothing: somebody typed or copied one. */
export function unknownMasks(restored: Restored, edited: string): ConfigProblem[] {
  const places = new TextPlaces(edited)
  return restored.unknown.map(({ mask, offset }) => ({
    severity: 'error',
    code: 'unknown-mask',
    message: `${mask} hides no value of this file`,
    fix: 'Write the value, or better a reference such as ${env:NAME}.',
    ...places.place(offset),
    length: mask.length,
    path: '',
  }))
}

export function toProblem(problem: Problem): ConfigProblem {
  const { severity, code, message, fix, line, column, length, path } = problem
  return { severity, code, message, ...(fix !== undefined && { fix }), line, column, length, path }
}
