import { join } from 'node:path'
import { readSpan, type AuditModel, type AuditReceiver } from '../../model/index.ts'
import type { RawAudit } from '../raw-config.ts'
import type { CompileContext } from './compile-context.ts'
import { bytes, duration } from './compile-server.ts'

export function compileAudit(raw: RawAudit, stateDir: string, context: CompileContext): AuditModel {
  const receiver = (name: 'http' | 'otlp'): AuditReceiver | undefined => {
    const { url, headers = {} } = raw[name] ?? {}
    if (url === undefined) return undefined
    const path = ['audit', name]
    return {
      url: context.plain(url, [...path, 'url']),
      headers: context.secrets(headers, [...path, 'headers']),
    }
  }
  return {
    folder:
      raw.folder === undefined
        ? join(stateDir, 'audit')
        : context.toAbsolute(context.plain(raw.folder, ['audit', 'folder'])),
    required: raw.required ?? false,
    lists: raw.lists ?? false,
    bodies: raw.bodies ?? false,
    maxFileBytes: bytes(raw.maxFileSize, '64mb'),
    keepFor: readSpan(raw.keepFor ?? '90d')!,
    keepBytes: bytes(raw.keepSize, '10gb'),
    sync: duration(raw.sync, '1s'),
    signEvery: duration(raw.signEvery, '1h'),
    stdout: raw.stdout ?? false,
    http: receiver('http'),
    otlp: receiver('otlp'),
  }
}
