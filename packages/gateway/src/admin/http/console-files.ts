import { randomBytes } from 'node:crypto'
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { extname, join, normalize, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

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

/** Stands for a fresh random value in the page: the only inline styles that the policy below lets through. */
const NONCE = '__CSP_NONCE__'

/**
 * Serves the console. Whatever a hostile tool manages to get into the page, the policy keeps it from running,
 * loading or sending anything.
 */
export class ConsoleFiles {
  readonly #dir: string | undefined

  constructor(dir: string | undefined = PLACES.find((place) => existsSync(join(place, 'index.html')))) {
    this.#dir = dir
  }

  serve(path: string, response: ServerResponse): void {
    if (path === '/console') return void response.writeHead(308, { location: '/console/' }).end()
    if (this.#dir === undefined) return notBuilt(response)
    const file = this.#find(this.#dir, path.slice('/console/'.length))
    if (file === undefined) return this.#index(this.#dir, response)
    const isHashed = /[/\\]assets[/\\]/.test(file)
    response.writeHead(200, {
      ...headersWith(undefined),
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      'content-length': statSync(file).size,
      // Files under assets/ have a hash of their content in their name.
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    })
    createReadStream(file)
      .on('error', () => response.destroy())
      .pipe(response)
  }

  /** A file below the folder, or nothing: pages of the console have addresses that are no files. */
  #find(dir: string, encoded: string): string | undefined {
    try {
      const path = normalize(join(dir, decodeURIComponent(encoded)))
      if (!path.startsWith(dir.endsWith(sep) ? dir : dir + sep) || path.includes('\0')) return undefined
      return path.endsWith('index.html') || !statSync(path).isFile() ? undefined : path
    } catch {
      return undefined
    }
  }

  #index(dir: string, response: ServerResponse): void {
    const nonce = randomBytes(16).toString('base64')
    const page = readFileSync(join(dir, 'index.html'), 'utf8').replaceAll(NONCE, nonce)
    response.writeHead(200, {
      ...headersWith(nonce),
      'content-type': TYPES['.html'],
      'cache-control': 'no-store',
    })
    response.end(page)
  }
}

/** Sent with everything; pages allow styles with their nonce besides files of our own. */
export function headersWith(nonce: string | undefined): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${nonce === undefined ? '' : ` 'nonce-${nonce}'`}`,
    "img-src 'self' data: blob:",
    'media-src data: blob:',
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  }
}

function notBuilt(response: ServerResponse): void {
  response.writeHead(503, { ...headersWith(undefined), 'content-type': TYPES['.html'] })
  response.end(
    '<!doctype html><title>Gantry</title><p>The console is not built. Run <code>npm run build</code> and load this page again.',
  )
}
