import { basename } from 'node:path'
import { parseUrl } from '@gantry/mcp/foreign'
import type { RawTarget } from '../../config/index.ts'

/** Programs that only start something else. */
const RUNNERS = new Set(
  'npx npm pnpm yarn bunx bun uvx uv pipx node python python3 deno docker podman cmd tsx'.split(' '),
)
const NOISE = /^(?:mcp[-_.])?(?:server[-_.])?(.+?)(?:[-_.](?:mcp|server|mcp[-_.]server|server[-_.]mcp))?$/i

export function guessName(entry: RawTarget): string {
  const url = entry.url ?? entry.httpUrl ?? entry.serverUrl
  const raw = url ? fromUrl(url) : entry.openapi ? fromDocument(entry.openapi.document) : fromCommand(entry)
  const clean = raw
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .toLowerCase()
  return clean.slice(0, 32) || 'server'
}

function fromUrl(url: string): string {
  const { hostname, port } = parseUrl(url) ?? { hostname: url, port: '' }
  if (hostname === 'localhost' || /^[\d.:[\]]+$/.test(hostname)) return `local-${port || 'server'}`
  const labels = hostname.split('.').filter((label) => !/^(www|api|mcp|app|dev)$/.test(label))
  return labels.length > 1 ? labels.at(-2)! : (labels[0] ?? hostname)
}

function fromDocument(document: string): string {
  const last = basename(parseUrl(document)?.pathname ?? document).replace(/\.\w+$/, '')
  if (!/^(openapi|swagger|api-docs|schema|index)?$/i.test(last)) return last
  return URL.canParse(document) ? fromUrl(document) : 'api'
}

function fromCommand({ command = '', args = [], module, replay }: RawTarget): string {
  if (module !== undefined || replay !== undefined) return withoutNoise(basename(module ?? replay ?? ''))
  const program = basename(command).replace(/\.(exe|cmd|bat)$/i, '')
  if (!RUNNERS.has(program)) return withoutNoise(program)
  const named = args.find(
    (arg) => !arg.startsWith('-') && !/^(run|exec|dlx|x|tool|start)$/.test(arg) && !arg.includes('='),
  )
  return named === undefined ? program : withoutNoise(lastPart(named))
}

/** `@scope/server-files@1.2` is about files; `ghcr.io/github/github-mcp-server` about GitHub. */
function lastPart(text: string): string {
  return basename(text.replace(/(?<=.)[@:][^/]*$/, '')).replace(/\.(m|c)?[jt]s$|\.py$/, '')
}

function withoutNoise(text: string): string {
  return NOISE.exec(text)?.[1] ?? text
}
