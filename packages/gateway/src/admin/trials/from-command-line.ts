import { parseJson } from '@gantry/mcp/foreign'
import type { RawTarget } from '../../config/index.ts'
import { splitCommand } from './split-command.ts'

export type CommandLine =
  | { readonly ok: true; readonly name?: string; readonly entry: RawTarget; readonly source: string }
  | { readonly ok: false; readonly reason: string }

/** A command line, or one of the commands with which documentation has servers added to a client. */
export function fromCommandLine(text: string): CommandLine {
  const split = splitCommand(text)
  if (!split.ok) return split
  const { words, env } = split
  if (words.length === 0) return { ok: false, reason: 'There is no command' }
  if (words[1] === 'mcp' && /^add(-json)?$/.test(words[2] ?? '')) return fromAddCommand(words.slice(3))
  const json = words.find((_word, index) => words[index - 1] === '--add-mcp')
  if (json !== undefined) return fromJson(json, undefined)
  const [command, ...args] = words
  return { ok: true, entry: toEntry(command!, args, env), source: 'a command line' }
}

function toEntry(command: string, args: string[], env: Readonly<Record<string, string>>): RawTarget {
  return {
    command,
    ...(args.length > 0 && { args }),
    ...(Object.keys(env).length > 0 && { env: { ...env } }),
  }
}

/** `claude mcp add [options] NAME [--] COMMAND… | URL`, as most servers' documentation has it. */
function fromAddCommand(words: readonly string[]): CommandLine {
  const env: Record<string, string> = {}
  const headers: Record<string, string> = {}
  const plain: string[] = []
  let transport: string | undefined
  let at = 0
  for (; at < words.length; at++) {
    const word = words[at]!
    if (word === '--') break
    if (/^(-e|--env)$/.test(word)) assign(env, words[++at] ?? '', '=')
    else if (/^(-H|--header)$/.test(word)) assign(headers, words[++at] ?? '', ':')
    else if (/^(-t|--transport)$/.test(word)) transport = words[++at]
    else if (/^(-s|--scope)$/.test(word)) at++
    else if (!word.startsWith('-') || plain.length >= 2) plain.push(word)
  }
  const [name, first, ...rest] = [...plain, ...words.slice(at + 1)]
  if (name === undefined || first === undefined) return { ok: false, reason: 'The command names no server' }
  if (first.startsWith('{')) return fromJson(first, name)
  const source = 'a command that adds a server to a client'
  if (!/^https?:\/\//.test(first)) return { ok: true, name, entry: toEntry(first, rest, env), source }
  const entry: RawTarget = {
    url: first,
    ...(transport === 'sse' && { transport: 'sse' as const }),
    ...(Object.keys(headers).length > 0 && { headers }),
  }
  return { ok: true, name, entry, source }
}

function fromJson(json: string, given: string | undefined): CommandLine {
  try {
    const { name, ...entry } = parseJson(json) as RawTarget & { name?: string }
    const chosen = given ?? name
    return {
      ok: true,
      ...(chosen !== undefined && { name: chosen }),
      entry,
      source: 'a command that adds a server to a client',
    }
  } catch {
    return { ok: false, reason: 'The JSON in the command cannot be read' }
  }
}

function assign(to: Record<string, string>, text: string, separator: string): void {
  const at = text.indexOf(separator)
  if (at > 0) to[text.slice(0, at).trim()] = text.slice(at + 1).trim()
}
