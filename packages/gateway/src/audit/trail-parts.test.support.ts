import { join } from 'node:path'
import type { AuditModel } from '../model/index.ts'
import type { AuditEvent } from './audit-event.ts'
import { loadSigningKey } from './load-signing-key.ts'
import { AuditTrail, type TrailOptions } from './trail.ts'

export const SETTINGS: Omit<AuditModel, 'folder'> = {
  required: false,
  lists: false,
  bodies: false,
  maxFileBytes: 64 * 1024 * 1024,
  keepFor: 90 * 86_400_000,
  keepBytes: 1024 ** 3,
  sync: 1000,
  signEvery: 3_600_000,
  stdout: false,
  http: undefined,
  otlp: undefined,
}

export function testTrail(
  stateDir: string,
  settings: Partial<AuditModel> = {},
  options: Partial<TrailOptions> = {},
): AuditTrail {
  return new AuditTrail({
    settings: { ...SETTINGS, folder: join(stateDir, 'audit'), ...settings },
    key: options.key ?? loadSigningKey(stateDir),
    product: { name: 'gantry', version: '0.0.0' },
    clean: (text) => text,
    ...options,
  })
}

export function callEvent(number: number): AuditEvent {
  return {
    at: 1_700_000_000_000 + number,
    operation: 'tools/call',
    activity: 'other',
    actor: {
      principal: { kind: 'person', issuer: 'https://id.example', subject: 'ann' },
      client: { name: 'a "client"', version: '1' },
      session: 'session-1',
      from: '127.0.0.1',
    },
    decision: 'allowed',
    status: 'success',
    outcome: 'ok',
    target: 'notes',
    object: { type: 'tool', name: 'publish' },
    request: number,
    revision: '2026-07-28',
    more: { duration_ms: 1.25, arguments_hash: 'x' },
  }
}
