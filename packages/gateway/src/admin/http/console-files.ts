import { createReadStream, existsSync, statSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, normalize, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ApiError } from '../api-error.ts'
import { acceptedEncodings } from './compress.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.map': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
}

/** Beside the built gateway, where the build puts it; seen from the sources, where Vite made it. */
const PLACES = ['../../console/', '../../../../console/dist/'].map((place) =>
  fileURLToPath(new URL(place, import.meta.url)),
)

/** The compressed forms that the build makes of large files, the best first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** Files under this folder have a hash of their content in their name. */
const HASHED = 'assets/'

export class ConsoleFiles {
  readonly #dir: string | undefined

  constructor(dir: string | undefined = PLACES.find((place) => existsSync(join(place, 'index.html')))) {
    this.#dir = dir
  }

  serve(path: string, request: IncomingMessage, response: ServerResponse): void {
    if (path === '/console') return void response.writeHead(308, { location: '/console/' }).end()
    const index = join(this.#dir ?? '', 'index.html')
    if (this.#dir === undefined || !existsSync(index)) return notBuilt(response)
    const wanted = path.slice('/console/'.length)
    const isHashed = wanted.startsWith(HASHED)
    const file = find(this.#dir, wanted)
    // Pages of the console are not files. A missing asset is an error: a page would be taken for a script.
    if (file === undefined && isHashed) {
      throw new ApiError('not_found', `The console has no file ${path}`, {
        fix: 'Load the page again: it is from another version of the gateway.',
      })
    }
    send(file ?? index, request, response, {
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    })
  }
}

function find(dir: string, encoded: string): string | undefined {
  try {
    const path = normalize(join(dir, decodeURIComponent(encoded)))
    if (!path.startsWith(dir.endsWith(sep) ? dir : dir + sep) || path.includes('\0')) return undefined
    return statSync(path).isFile() ? path : undefined
  } catch {
    return undefined
  }
}

function send(
  file: string,
  request: IncomingMessage,
  response: ServerResponse,
  headers: Record<string, string>,
): void {
  const accepted = acceptedEncodings(request.headers['accept-encoding'])
  const packed = ENCODINGS.find(([name, ending]) => accepted.has(name) && existsSync(file + ending))
  const path = packed ? file + packed[1] : file
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    ...headers,
    'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    'content-length': statSync(path).size,
    ...(packed && { 'content-encoding': packed[0] }),
    vary: 'accept-encoding',
  })
  createReadStream(path)
    .on('error', () => response.destroy())
    .pipe(response)
}

function notBuilt(response: ServerResponse): void {
  response.writeHead(503, { ...SECURITY_HEADERS, 'content-type': TYPES['.html'] })
  response.end(
    '<!doctype html><title>Gantry</title><p>The console is not built. Run <code>npm run build</code> and load this page again.',
  )
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  'media-src data: blob:',
  "font-src 'self'",
  "connect-src 'self'",
  // Views of servers, each with a policy of its own and without an origin.
  "frame-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]

/** Sent with every answer, so that hostile content in a page can run, load and send nothing. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY.join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}
