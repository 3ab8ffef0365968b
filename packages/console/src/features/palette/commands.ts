import type { UseNavigateResult } from '@tanstack/react-router'
import {
  Braces,
  CircleHelp,
  MessageSquareText,
  Moon,
  Plus,
  RotateCw,
  Server,
  Sun,
  SunMoon,
  Wrench,
  type LucideIcon,
} from 'lucide-react'
import { call } from '../../api/call.ts'
import {
  mayUse,
  type CatalogEntry,
  type CatalogList,
  type Overview,
  type SessionInfo,
} from '../../api/contract.ts'
import { pagesOf } from '../../app/pages.ts'
import { setTheme } from '../../app/theme.ts'
import { notify, notifyError } from '../../ui/signs/toasts.tsx'

export interface Command {
  readonly id: string
  readonly title: string
  readonly detail: string
  readonly icon: LucideIcon
  readonly run: () => void
}

interface Sources {
  readonly overview: Overview | undefined
  readonly catalog: CatalogList | undefined
  readonly session: SessionInfo | undefined
  readonly navigate: UseNavigateResult<string>
}

const ENTRY_ICONS = { tool: Wrench, prompt: MessageSquareText, resource: Braces, template: Braces }

export function commandsFor({ overview, catalog, session, navigate }: Sources): Command[] {
  const may = (name: Parameters<typeof mayUse>[1]) => mayUse(session?.role, name)
  const pages = pagesOf(overview, session).map(({ to, title, icon }) => ({
    id: `page ${to}`,
    title,
    detail: 'page',
    icon,
    run: () => void navigate({ to }),
  }))
  const targets = (overview?.targets ?? []).flatMap(({ name, state }) => [
    {
      id: `target ${name}`,
      title: name,
      detail: `target, ${state}`,
      icon: Server,
      run: () => void navigate({ to: '/targets/$name', params: { name } }),
    },
    ...(may('targetAction') ? [restart(name)] : []),
  ])
  const entries = (catalog?.entries ?? []).map((entry) => entryCommand(entry, navigate, may('startCall')))
  const own = actions(navigate).filter(({ id }) => id !== 'add' || may('addTarget'))
  return [...pages, ...own, ...targets, ...entries]
}

function restart(name: string): Command {
  return {
    id: `restart ${name}`,
    title: `Restart ${name}`,
    detail: 'action',
    icon: RotateCw,
    run: () =>
      void call('targetAction', { params: { name }, body: { action: 'restart' } })
        .then(() => notify(`${name} was restarted.`))
        .catch(notifyError),
  }
}

function entryCommand(entry: CatalogEntry, navigate: Sources['navigate'], canCall: boolean): Command {
  const { kind, key, target } = entry
  return {
    id: `${kind} ${key} ${target}`,
    title: key,
    detail: `${kind} of ${target}`,
    icon: ENTRY_ICONS[kind],
    run: () =>
      void (canCall
        ? navigate({ to: '/playground', search: { kind, name: key } })
        : navigate({ to: '/catalog', search: { entry: key, entryKind: kind } })),
  }
}

function actions(navigate: Sources['navigate']): Command[] {
  return [
    {
      id: 'add',
      title: 'Add a target',
      detail: 'action',
      icon: Plus,
      run: () => void navigate({ to: '/add-target' }),
    },
    {
      id: 'why',
      title: 'Why is something missing?',
      detail: 'action',
      icon: CircleHelp,
      run: () => void navigate({ to: '/why' }),
    },
    { id: 'light', title: 'Theme: light', detail: 'action', icon: Sun, run: () => setTheme('light') },
    { id: 'dark', title: 'Theme: dark', detail: 'action', icon: Moon, run: () => setTheme('dark') },
    {
      id: 'system',
      title: 'Theme: as the system',
      detail: 'action',
      icon: SunMoon,
      run: () => setTheme('system'),
    },
  ]
}

/** Commands with all words of the text, best first: those that begin with it, then those that contain it. */
export function rank(commands: readonly Command[], text: string): Command[] {
  const wanted = text.toLowerCase().trim()
  if (wanted === '') return [...commands]
  const words = wanted.split(/\s+/)
  return commands
    .flatMap((command) => {
      const title = command.title.toLowerCase()
      if (!words.every((word) => title.includes(word) || command.detail.toLowerCase().includes(word)))
        return []
      const score = title === wanted ? 0 : title.startsWith(wanted) ? 1 : title.includes(wanted) ? 2 : 3
      return [{ command, score }]
    })
    .sort((a, b) => a.score - b.score)
    .map(({ command }) => command)
}
