import {
  Activity,
  BellRing,
  CircleHelp,
  FileCog,
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
    | '/configuration'
    | '/why'
  readonly title: string
  readonly icon: LucideIcon
  /** Pressed after `g`. */
  readonly key: string
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
  { to: '/configuration', title: 'Configuration', icon: FileCog, key: 'f' },
  { to: '/why', title: 'Why', icon: CircleHelp, key: 'y' },
]
