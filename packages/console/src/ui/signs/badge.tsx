import type { ReactNode } from 'react'
import styles from './badge.module.css'

export type Tone = 'plain' | 'ok' | 'warn' | 'bad' | 'accent' | 'violet'

export function Badge({
  tone = 'plain',
  title,
  children,
}: {
  tone?: Tone
  title?: string | undefined
  children: ReactNode
}) {
  return (
    <span className={`${styles.badge} ${styles[tone] ?? ''}`} title={title}>
      {children}
    </span>
  )
}

const KIND_TONES: Record<string, Tone> = {
  tool: 'accent',
  prompt: 'violet',
  resource: 'ok',
  template: 'warn',
}

export function KindBadge({ kind }: { kind: string }) {
  return <Badge tone={KIND_TONES[kind] ?? 'plain'}>{kind}</Badge>
}

/** `modern 2026-07-28`, `legacy 2025-06-18` */
export function EraBadge({ era, revision }: { era?: string | undefined; revision?: string | undefined }) {
  if (era === undefined && revision === undefined) return null
  return (
    <Badge tone={era === 'modern' ? 'accent' : 'violet'}>
      {era} {revision}
    </Badge>
  )
}
