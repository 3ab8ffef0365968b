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
  /** It is listed only where the gateway has it. */
  readonly needs?: 'audit'
}

export const PAGES: readonly PageLink[] = [
  { to: '/', title: 'Overview', icon: LayoutDashboard, key: 'o' },
  { to: '/waiting', title: 'Waiting', icon: BellRing, key: 'a' },
  { to: '/approvals', title: 'Approvals', icon: Stamp, key: 'v' },
  { to: '/catalog', title: 'Catalog', icon: Library, key: 'c' },
  { to: '/playground', title: 'Playground', icon: Play, key: 'p' },
  { to: '/wire', title: 'Wire', icon: Activity, key: 'w' },
  { to: '/tools', title: 'Tools', icon: Wrench, key: 't' },
  { to: '/clients', title: 'Clients', icon: Users, key: 'l' },
  { to: '/access', title: 'Access', icon: ShieldCheck, key: 's' },
  { to: '/events', title: 'Events', icon: ScrollText, key: 'e' },
  { to: '/audit', title: 'Audit', icon: Fingerprint, key: 'u', needs: 'audit' },
  { to: '/configuration', title: 'Configuration', icon: FileCog, key: 'f' },
  { to: '/why', title: 'Why', icon: CircleHelp, key: 'y' },
]

export function pagesOf(overview: { readonly hasAudit: boolean } | undefined): readonly PageLink[] {
  return PAGES.filter(({ needs }) => needs !== 'audit' || overview?.hasAudit === true)
}
