import { hideCredentials } from './hide-credentials.ts'
import type { Text } from './secret.ts'
import type { TargetModel } from './target-model.ts'

const SECRET_FLAG =
  /(token|secret|passw|passphrase|[-_]pass$|pwd?$|key$|auth|credential|bearer|cookie|[-_]pat$)/i

export function describeTarget(target: TargetModel): string {
  switch (target.kind) {
    case 'stdio':
      return hideCredentials([target.command, ...displayArgs(target.args)].join(' '))
    case 'url':
      return displayUrl(target.url)
    case 'inProcess':
      return `module ${target.module}`
    case 'openapi':
      return `OpenAPI ${displayUrl(target.document)}`
    case 'replay':
      return `recording ${target.file}`
  }
}

/** Arguments without values that are referred to or follow a flag such as `--api-key`. */
export function displayArgs(args: readonly Text[]): string[] {
  return args.map((arg, index) => {
    if (typeof arg !== 'string') return arg.label
    const assigned = /^(--?[^=]+)=/.exec(arg)
    if (assigned && SECRET_FLAG.test(assigned[1]!)) return `${assigned[1]}=[redacted]`
    const before = args[index - 1]
    const isValue = typeof before === 'string' && /^--?[^=]+$/.test(before) && !arg.startsWith('-')
    return isValue && SECRET_FLAG.test(before) ? '[redacted]' : arg
  })
}

/** A URL without user information and query, which may hold keys. */
export function displayUrl(url: Text): string {
  const text = typeof url === 'string' ? url : url.label
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1').replace(/[?#].*$/s, '')
}
