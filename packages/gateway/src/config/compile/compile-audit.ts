import { join } from 'node:path'
import type { AuditModel, AuditReceiver, AuditSettings } from '../../model/index.ts'
import type { Section } from './section.ts'

export function compileAudit(section: Section<AuditSettings>, stateDir: string): AuditModel {
  const { folder, maxFileSize, keepSize, http, otlp, ...plain } = section.value
  return {
    ...plain,
    folder: section.file('folder') ?? join(stateDir, 'audit'),
    maxFileBytes: maxFileSize,
    keepBytes: keepSize,
    http: http && compileReceiver(section.at('http')),
    otlp: otlp && compileReceiver(section.at('otlp')),
  }
}

function compileReceiver(section: Section<NonNullable<AuditSettings['http']>>): AuditReceiver {
  return { url: section.plain('url'), headers: section.secrets('headers') }
}
