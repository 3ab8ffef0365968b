import {
  Activity,
  BellRing,
  CircleHelp,
  FileCog,
  Fingerprint,
  LayoutDashboard,
  Library,
  Play,
  ScrollText,
  ShieldCheck,
  Stamp,
  Users,
  Wrench,
  type LucideIcon,
} from 'lucide-react'

import { mayUse, type Overview, type RouteName, type SessionInfo } from '../api/contract.ts'

export interface PageLink {
  readonly to:
    | '/'
    | '/waiting'
    | '/approvals'
    | '/catalog'
    | '/playground'
    | '/wire'
    | '/tools'
    | '/clients'
    | '/access'
    | '/events'
    | '/audit'
    | '/configuration'
    | '/why'
  readonly title: string
  readonly icon: LucideIcon
  /** Pressed after `g`. */
  readonly key: string
  /** What the page needs: it is listed for people who may use this. */
  readonly uses: RouteName
}

export const PAGES: readonly PageLink[] = [
  { to: '/', title: 'Overview', icon: LayoutDashboard, key: 'o', uses: 'overview' },
  { to: '/waiting', title: 'Waiting', icon: BellRing, key: 'a', uses: 'waiting' },
  { to: '/approvals', title: 'Approvals', icon: Stamp, key: 'v', uses: 'approvals' },
  { to: '/catalog', title: 'Catalog', icon: Library, key: 'c', uses: 'catalog' },
  { to: '/playground', title: 'Playground', icon: Play, key: 'p', uses: 'startCall' },
  { to: '/wire', title: 'Wire', icon: Activity, key: 'w', uses: 'wire' },
  { to: '/tools', title: 'Tools', icon: Wrench, key: 't', uses: 'tools' },
  { to: '/clients', title: 'Clients', icon: Users, key: 'l', uses: 'clients' },
  { to: '/access', title: 'Access', icon: ShieldCheck, key: 's', uses: 'access' },
  { to: '/events', title: 'Events', icon: ScrollText, key: 'e', uses: 'log' },
  { to: '/audit', title: 'Audit', icon: Fingerprint, key: 'u', uses: 'audit' },
  { to: '/configuration', title: 'Configuration', icon: FileCog, key: 'f', uses: 'config' },
  { to: '/why', title: 'Why', icon: CircleHelp, key: 'y', uses: 'why' },
]

type Known = Pick<SessionInfo, 'role'> | undefined

/** The pages that this gateway has and this person may use. */
export function pagesOf(
  overview: Pick<Overview, 'hasAudit'> | undefined,
  session: Known,
): readonly PageLink[] {
  return PAGES.filter(
    ({ to, uses }) => mayUse(session?.role, uses) && (to !== '/audit' || overview?.hasAudit === true),
  )
}

/** What the page at a path needs. */
export function usesOf(path: string): RouteName {
  if (path.startsWith('/targets/')) return 'targets'
  if (path.startsWith('/add-target')) return 'addTarget'
  if (path.startsWith('/view')) return 'view'
  return PAGES.find(({ to }) => to !== '/' && path.startsWith(to))?.uses ?? 'overview'
}
