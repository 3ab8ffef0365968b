import { createHash, randomBytes } from 'node:crypto'
import type { TargetModel, Text } from '../model/index.ts'
import type { TargetConnection } from './connected/target-connection.ts'

/** Tells a target's server from a later one of the same name, so that ids of one never reach the other. */
export function serverMark(model: TargetModel): string {
  const text = JSON.stringify([model.kind, ...placeOf(model)])
  return createHash('sha256').update(text).digest('base64url').slice(0, 12)
}

const marks = new WeakMap<TargetConnection, string>()

/** A random mark of a connection; empty when there is no connection. */
export function connectionMark(connection: TargetConnection | undefined): string {
  if (!connection) return ''
  const known = marks.get(connection)
  if (known !== undefined) return known
  const mark = randomBytes(6).toString('base64url')
  marks.set(connection, mark)
  return mark
}

/** Whether all connections of an earlier mark, which are separated by dots, are there still. */
export function isStillThere(before: string, now: string): boolean {
  const present = now.split('.')
  return before.split('.').every((mark, at) => mark === '' || mark === present[at])
}

function placeOf(model: TargetModel): unknown[] {
  switch (model.kind) {
    case 'stdio':
      return [model.command, model.cwd, ...model.args.map(shown)]
    case 'url':
      return [shown(model.url)]
    case 'inProcess':
      return [model.module, model.exportName]
    case 'openapi':
      return [model.document, model.baseUrl]
    case 'replay':
      return [model.file]
  }
}

function shown(text: Text): string {
  return typeof text === 'string' ? text : text.label
}
