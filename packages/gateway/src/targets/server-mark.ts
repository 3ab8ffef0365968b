import { createHash } from 'node:crypto'
import type { TargetModel, Text } from '../model/index.ts'

/** Tells a target's server from a later server of the same name, so that ids of one server never reach the other. */
export function serverMark(model: TargetModel): string {
  const text = JSON.stringify([model.kind, ...placeOf(model)])
  return createHash('sha256').update(text).digest('base64url').slice(0, 12)
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
