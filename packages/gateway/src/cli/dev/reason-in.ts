import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ERROR = /^(?:Uncaught )?((?:[\w.]+\.)?\w*(?:Error|Exception)(?: \[\w+\])?: .+)$/
const PLACE = /^(file:\/\/\S+|\/\S+|[A-Za-z]:\\\S+):(\d+)$/
const PYTHON_PLACE = /^\s*File "(.+)", line (\d+)/

/** The error that ended a program, as far as what it wrote to stderr says so: `SyntaxError: … (server.mjs:7)`. */
export function reasonIn(stderr: readonly string[], cwd: string): string | undefined {
  const error = stderr.findLast((line) => ERROR.test(line))
  if (error === undefined) return undefined
  const [, file, line] =
    stderr.map((text) => PLACE.exec(text) ?? PYTHON_PLACE.exec(text)).findLast(Boolean) ?? []
  const place = file === undefined ? '' : ` (${shown(file, cwd)}:${line})`
  return `${ERROR.exec(error)![1]}${place}`
}

function shown(file: string, cwd: string): string {
  const path = file.startsWith('file://') ? fileURLToPath(file) : file
  const short = relative(cwd, path)
  return short.startsWith('..') ? path : short
}
