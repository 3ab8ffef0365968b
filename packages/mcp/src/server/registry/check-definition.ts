import { invalidDefinition } from './check-options.ts'

/** Refuses names that clients and models do not accept (2025-11-25, Tool Names). */
export function requireToolName(name: string): void {
  if (name === '') throw invalidDefinition('A tool needs a name')
  if (/^[\w.-]{1,128}$/.test(name)) return
  throw invalidDefinition(
    `A tool cannot be called "${name.slice(0, 150)}": names have 1 to 128 letters from A to Z, digits, "_", "-" and "."`,
  )
}

export function requireServerName(name: unknown): void {
  if (typeof name !== 'string' || name.trim() === '') throw invalidDefinition('A server needs a name')
}

/** It has no underscore, so that names can be taken apart, and begins a scheme. */
export function requirePrefix(prefix: string, taken: ReadonlyMap<string, unknown>): void {
  if (!/^[a-z][a-z\d-]{0,31}$/.test(prefix)) {
    throw invalidDefinition(
      `"${prefix}" is not a prefix: it begins with a small letter, and has small letters, digits and "-"`,
    )
  }
  if (taken.has(prefix)) throw invalidDefinition(`There is already something mounted as "${prefix}"`)
}

export function requireMountable(other: unknown): void {
  const { respond, handle } = (other ?? {}) as { respond?: unknown; handle?: unknown }
  if (typeof respond === 'function' || typeof handle === 'function') return
  throw invalidDefinition('Only a server, a client, or what openApi() makes can be mounted')
}

export function requireMiddleware(middleware: unknown): void {
  if (typeof middleware !== 'function') throw invalidDefinition('Middleware is a function (exchange, next)')
}

/** The variables of a template may stand for its scheme as well. */
export function requireUriTemplate(template: unknown): void {
  if (typeof template !== 'string' || template === '')
    throw invalidDefinition('A template needs a uriTemplate')
  requireUri(template.replace(/^\{[^}]*\}/, 'x:x').replaceAll(/\{[^}]*\}/g, 'x'), template)
}

export function requireUri(uri: unknown, named: unknown = uri): void {
  if (typeof uri !== 'string' || uri === '') throw invalidDefinition('A resource needs a uri')
  if (/^[a-z][a-z\d+.-]*:[^\s\p{Cc}]+$/iu.test(uri)) return
  throw invalidDefinition(
    `"${String(named).slice(0, 150)}" is not a URI: it needs a scheme, as in notes://1, and no spaces`,
  )
}
