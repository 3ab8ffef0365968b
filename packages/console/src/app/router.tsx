import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { OverviewPage } from '../features/overview/overview-page.tsx'
import { lazyPage } from './lazy-page.ts'
import { Crashed, NotFound } from './not-found.tsx'
import { Shell } from './shell.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })

/** Text parameters of the address, without the empty ones. */
type Search<Keys extends string> = { [Key in Keys]?: string }

function texts<Keys extends string>(...keys: Keys[]): (raw: Record<string, unknown>) => Search<Keys> {
  return (raw) =>
    Object.fromEntries(
      keys.flatMap((key) => {
        const value = raw[key]
        const known = typeof value === 'string' || typeof value === 'number'
        return known && value !== '' ? [[key, String(value)]] : []
      }),
    ) as Search<Keys>
}

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: texts('range', 'target'),
  component: OverviewPage,
})

const waiting = createRoute({
  getParentRoute: () => root,
  path: '/waiting',
  component: lazyPage(() => import('../features/waiting/waiting-page.tsx'), 'WaitingPage'),
})

const approvals = createRoute({
  getParentRoute: () => root,
  path: '/approvals',
  validateSearch: texts('id'),
  component: lazyPage(() => import('../features/approvals/approvals-page.tsx'), 'ApprovalsPage'),
})

const target = createRoute({
  getParentRoute: () => root,
  path: '/targets/$name',
  validateSearch: texts('tab'),
  component: lazyPage(() => import('../features/target/target-page.tsx'), 'TargetPage'),
})

const addTarget = createRoute({
  getParentRoute: () => root,
  path: '/add-target',
  validateSearch: texts('text'),
  component: lazyPage(() => import('../features/add-target/add-target-page.tsx'), 'AddTargetPage'),
})

const catalog = createRoute({
  getParentRoute: () => root,
  path: '/catalog',
  validateSearch: texts('q', 'kind', 'target', 'view', 'entry', 'entryKind'),
  component: lazyPage(() => import('../features/catalog/catalog-page.tsx'), 'CatalogPage'),
})

const playground = createRoute({
  getParentRoute: () => root,
  path: '/playground',
  validateSearch: texts('kind', 'name', 'call'),
  component: lazyPage(() => import('../features/playground/playground-page.tsx'), 'PlaygroundPage'),
})

const wire = createRoute({
  getParentRoute: () => root,
  path: '/wire',
  validateSearch: texts('filter', 'id', 'sort', 'with', 'view', 'who'),
  component: lazyPage(() => import('../features/wire/wire-page.tsx'), 'WirePage'),
})

const tools = createRoute({
  getParentRoute: () => root,
  path: '/tools',
  validateSearch: texts('q', 'show', 'sort', 'range', 'per'),
  component: lazyPage(() => import('../features/tools/tools-page.tsx'), 'ToolsPage'),
})

const clients = createRoute({
  getParentRoute: () => root,
  path: '/clients',
  component: lazyPage(() => import('../features/clients/clients-page.tsx'), 'ClientsPage'),
})

const access = createRoute({
  getParentRoute: () => root,
  path: '/access',
  validateSearch: texts('tab', 'as', 'issuer', 'claims', 'name', 'args', 'endpoint', 'q', 'show', 'entry'),
  component: lazyPage(() => import('../features/access/access-page.tsx'), 'AccessPage'),
})

const view = createRoute({
  getParentRoute: () => root,
  path: '/view',
  validateSearch: texts('name', 'entry', 'q', 'show'),
  component: lazyPage(() => import('../features/views/view-page.tsx'), 'ViewPage'),
})

const events = createRoute({
  getParentRoute: () => root,
  path: '/events',
  validateSearch: texts('q', 'kind'),
  component: lazyPage(() => import('../features/events/events-page.tsx'), 'EventsPage'),
})

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: texts('text', 'who', 'target', 'outcome', 'since'),
  component: lazyPage(() => import('../features/audit/audit-page.tsx'), 'AuditPage'),
})

const configuration = createRoute({
  getParentRoute: () => root,
  path: '/configuration',
  validateSearch: texts('line', 'show'),
  component: lazyPage(() => import('../features/configuration/configuration-page.tsx'), 'ConfigurationPage'),
})

const why = createRoute({
  getParentRoute: () => root,
  path: '/why',
  validateSearch: texts('name', 'as'),
  component: lazyPage(() => import('../features/why/why-page.tsx'), 'WhyPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    waiting,
    approvals,
    target,
    addTarget,
    catalog,
    playground,
    wire,
    tools,
    clients,
    access,
    view,
    events,
    audit,
    configuration,
    why,
  ]),
  basepath: '/console',
  // Plain text in the address, so that links can be written by hand: `?filter=tool:search status:error`.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const pairs = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
    const text = new URLSearchParams(pairs as [string, string][]).toString()
    return text === '' ? '' : `?${text}`
  },
  defaultErrorComponent: Crashed,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
