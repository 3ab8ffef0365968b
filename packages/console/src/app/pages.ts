import {
  Activity,
  CircleHelp,
  FileCog,
  LayoutDashboard,
  Library,
  Play,
  Users,
  type LucideIcon,
} from 'lucide-react'

export interface PageLink {
  readonly to: '/' | '/catalog' | '/playground' | '/wire' | '/clients' | '/configuration' | '/why'
  readonly title: string
  readonly icon: LucideIcon
  /** Pressed after `g`. */
  readonly key: string
}

export const PAGES: readonly PageLink[] = [
  { to: '/', title: 'Overview', icon: LayoutDashboard, key: 'o' },
  { to: '/catalog', title: 'Catalog', icon: Library, key: 'c' },
  { to: '/playground', title: 'Playground', icon: Play, key: 'p' },
  { to: '/wire', title: 'Wire', icon: Activity, key: 'w' },
  { to: '/clients', title: 'Clients', icon: Users, key: 'l' },
  { to: '/configuration', title: 'Configuration', icon: FileCog, key: 'f' },
  { to: '/why', title: 'Why', icon: CircleHelp, key: 'y' },
]
