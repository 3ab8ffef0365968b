import { relative } from 'node:path'
import type { Problem } from '../config/index.ts'
import { removeControls } from '../model/index.ts'
import type { Paint } from './paint.ts'
import { plainText } from './plain-text.ts'

/** A problem for people: place, message, the masked lines around it with a mark, and the fix. */
export function formatProblem(
  problem: Problem,
  text: string,
  { paint, cwd }: { paint: Paint; cwd: string },
): string {
  const { severity, fix } = problem
  const [message, path] = [plainText(problem.message), plainText(problem.path)]
  const colour = severity === 'error' ? paint.red : paint.yellow
  // A file that cannot be read has no lines.
  const position = text === '' ? '' : `:${problem.line}:${problem.column}`
  const where = `${plainText(shorten(problem.file, cwd))}${position}`
  const lines = [
    `${paint.bold(where)} ${colour(severity)} ${message}${path === '' ? '' : paint.dim(`  ${path}`)}`,
  ]
  lines.push(...codeFrame(problem, text, paint))
  if (fix !== undefined) lines.push(`  ${paint.cyan('fix')} ${plainText(fix)}`)
  return lines.join('\n')
}

function codeFrame({ line, column, length, severity }: Problem, text: string, paint: Paint): string[] {
  const source = text.split(/\r?\n/)
  if (source[line - 1] === undefined || text === '') return []
  const first = Math.max(1, line - 1)
  const last = Math.min(source.length, line + 1)
  const width = String(last).length
  const colour = severity === 'error' ? paint.red : paint.yellow
  const frame: string[] = []
  for (let number = first; number <= last; number++) {
    const content = removeControls(source[number - 1]!)
    const gutter = paint.dim(`${String(number).padStart(width)} │`)
    frame.push(`  ${number === line ? colour('>') : ' '} ${gutter} ${content}`.trimEnd())
    if (number !== line) continue
    // Tabs are kept in the indent so that the mark stands under its place.
    const indent = content.slice(0, column - 1).replaceAll(/[^\t]/g, ' ')
    const marks = '^'.repeat(Math.max(1, Math.min(length, content.length - column + 1)))
    frame.push(`    ${paint.dim(`${' '.repeat(width)} │`)} ${indent}${colour(marks)}`)
  }
  return frame
}

/** A path as the user would type it. */
export function shorten(file: string, cwd: string): string {
  const short = relative(cwd, file)
  return short === '' || short.startsWith('..') ? file : short
}
