import { extname } from 'node:path'
import type { ConfigPath } from '../problem.ts'

export type ConfigFormat = 'jsonc' | 'yaml'

export interface SourceRange {
  readonly offset: number
  readonly length: number
}

export interface SourceError {
  readonly code: 'syntax' | 'duplicate-key'
  readonly message: string
  readonly fix: string | undefined
  readonly range: SourceRange
}

/** A configuration as it was written: its value, and where in the text each part of it stands. */
export interface SourceDocument {
  readonly format: ConfigFormat
  readonly text: string
  /** Undefined when there are errors. */
  readonly value: unknown
  readonly errors: readonly SourceError[]
  /** Where a path is, or the nearest part around it that exists. */
  locate(path: ConfigPath, part: 'key' | 'value'): SourceRange
}

/** By the file name; files of another kind are JSON when they look like it. */
export function formatOf(file: string, text: string): ConfigFormat {
  const extension = extname(file).toLowerCase()
  if (extension === '.yaml' || extension === '.yml') return 'yaml'
  if (['.json', '.jsonc', '.json5'].includes(extension)) return 'jsonc'
  return /^\s*(\{|\/\/|\/\*)/.test(text) ? 'jsonc' : 'yaml'
}

/** An empty file is never meant: it is what an editor leaves between truncating and writing. */
export function emptyFile(): SourceError {
  return {
    code: 'syntax',
    message: 'The file is empty',
    fix: 'Run "gantry init" for a commented start',
    range: { offset: 0, length: 1 },
  }
}
