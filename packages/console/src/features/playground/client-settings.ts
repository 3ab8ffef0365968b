import type { Era, LogLevel, PlaygroundClient, Revision } from '../../api/contract.ts'
import { createStore, type Store } from '../../api/store.ts'
import { parseJson, writeJson } from '../../api/json.ts'

export interface ClientSettings {
  readonly era: Era
  readonly revision: Revision
  readonly form: boolean
  readonly url: boolean
  readonly sampling: boolean
  readonly samplingTools: boolean
  readonly roots: string
  readonly tasks: boolean
  readonly apps: boolean
  readonly logLevel: LogLevel | ''
  readonly timeoutSeconds: string
}

export const REVISIONS: Record<Era, readonly Revision[]> = {
  modern: ['2026-07-28'],
  legacy: ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
}

const KEY = 'gantry.client'
const DEFAULTS: ClientSettings = {
  era: 'modern',
  revision: '2026-07-28',
  form: true,
  url: true,
  sampling: true,
  samplingTools: false,
  roots: '',
  tasks: false,
  apps: true,
  logLevel: 'info',
  timeoutSeconds: '',
}

export const clientSettings: Store<ClientSettings> = createStore(stored())

export function changeClient(change: Partial<ClientSettings>): void {
  const next = { ...clientSettings.get(), ...change }
  const revision = REVISIONS[next.era].includes(next.revision) ? next.revision : REVISIONS[next.era][0]!
  clientSettings.set({ ...next, revision })
  localStorage.setItem(KEY, writeJson(clientSettings.get()))
}

export function toClient(settings: ClientSettings): PlaygroundClient {
  const roots = settings.roots
    .split(/\s+/)
    .filter(Boolean)
    .map((uri) => ({ uri }))
  return {
    era: settings.era,
    revision: settings.revision,
    capabilities: {
      ...((settings.form || settings.url) && { elicitation: { form: settings.form, url: settings.url } }),
      ...(settings.sampling && { sampling: settings.samplingTools ? { tools: true } : {} }),
      ...(roots.length > 0 && { roots }),
      ...(settings.tasks && settings.era === 'modern' && { tasks: true }),
      ...(settings.apps && { apps: true }),
    },
  }
}

function stored(): ClientSettings {
  try {
    return { ...DEFAULTS, ...(parseJson(localStorage.getItem(KEY) ?? '{}') as Partial<ClientSettings>) }
  } catch {
    return DEFAULTS
  }
}
