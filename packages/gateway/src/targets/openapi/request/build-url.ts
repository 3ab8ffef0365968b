import type { Operation, Parameter } from '../operations/operation.ts'
import { CallError } from './call-error.ts'
import { contentText, encode, serializePairs, serializeSegment } from './serialize-value.ts'

export type ParameterValues = ReadonlyMap<Parameter, unknown>

/**
 * The URL of a call. No argument can change anything but its own place: path values are encoded, and because
 * URL parsers resolve `.` and `..` even when encoded (URL Standard, "single-dot path segment"), such segments
 * are refused.
 */
export function buildUrl(base: URL, operation: Operation, values: ParameterValues): URL {
  const [template = '', fixedQuery] = operation.path.split('#', 1)[0]!.split('?', 2)
  const query = fixedQuery ? [fixedQuery] : []
  for (const [parameter, value] of values) {
    if (parameter.in === 'query') query.push(...serializePairs(parameter.name, value, parameter))
  }
  const prefix = base.pathname === '/' ? '' : base.pathname
  const url = new URL(base)
  url.pathname = prefix + expandPath(template, values)
  url.search = query.join('&')
  return url
}

function expandPath(template: string, values: ParameterValues): string {
  const path = template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const [parameter, value] =
      [...values].find(([candidate]) => candidate.in === 'path' && candidate.name === name) ?? []
    if (parameter === undefined || value === null)
      throw new CallError(`The argument for {${name}} is missing.`)
    const text =
      parameter.mediaType === undefined
        ? serializeSegment(name, value, parameter, encode)
        : encode(contentText(value, parameter.mediaType))
    if (text === '') throw new CallError(`The argument for {${name}} must not be empty.`)
    return text
  })
  for (const segment of path.split('/')) {
    if (/^(\.|%2e){1,2}$/i.test(segment)) {
      throw new CallError(`"${decodeURIComponent(segment)}" cannot be a part of the path ${template}.`)
    }
  }
  return path
}
