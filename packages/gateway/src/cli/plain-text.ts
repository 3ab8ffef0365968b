import { removeControls } from '../model/index.ts'

/**
 * Makes foreign text safe for a terminal: escape sequences could type into the command line. The text becomes one line,
 * so that it cannot look like a line of Gantry; with `indent`, it keeps its lines, and each further line begins with
 * that.
 */
export function plainText(text: string, indent?: string): string {
  return removeControls(text)
    .trimEnd()
    .replaceAll(/\n+/g, indent === undefined ? ' ' : `\n${indent}`)
}

/** The beginning of a text on one line, no longer than fits. */
export function oneLine(text: string, width: number): string {
  const line = plainText(text).replaceAll(/\s+/g, ' ').trim()
  return line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line
}

/** Text in a configuration may hold references; what comes from a command line is meant as it is. */
export function literalText(text: string): string {
  return text.replaceAll('${', () => '$${')
}
