import { hideCredentials, isSecretSetting } from './hide-credentials.ts'
import type { Text } from './secret.ts'
import type { TargetModel } from './target-model.ts'

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

/** `--token=abc`, `TOKEN=abc` and `X-Token: abc`: what is in front of the value. */
const NAMED_ARGUMENT = /^(-{0,2}[\w.-]+)(=|:\s+)(?=\S)/

/** Arguments without values that are referred to or have a name such as `--api-key`. */
export function displayArgs(args: readonly Text[]): string[] {
  return args.map((arg, index) => {
    if (typeof arg !== 'string') return arg.label
    const [front, name] = NAMED_ARGUMENT.exec(arg) ?? []
    if (name !== undefined && isSecretSetting(name)) return `${front}[redacted]`
    const before = args[index - 1]
    const isValue = typeof before === 'string' && /^--?[^=]+$/.test(before) && !arg.startsWith('-')
    return isValue && isSecretSetting(before) ? '[redacted]' : arg
  })
}

/** A URL without user information and query, which may hold keys. */
export function displayUrl(url: Text): string {
  const text = typeof url === 'string' ? url : url.label
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1').replace(/[?#].*$/s, '')
}
