import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { Menu, Search } from 'lucide-react'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { useMay } from '../api/may.tsx'
import { useOpenApprovals } from '../features/approvals/use-approvals.ts'
import { useWaiting } from '../features/waiting/use-waiting.ts'
import { WaitingWatch } from '../features/waiting/waiting-watch.tsx'
import { Badge } from '../ui/signs/badge.tsx'
import { IconButton } from '../ui/controls/button.tsx'
import { Modal } from '../ui/layout/modal.tsx'
import { ConfigBanner } from './config-banner.tsx'
import { LiveBadge } from './live-badge.tsx'
import { LostBanner } from './lost-banner.tsx'
import { NotYours } from './not-yours.tsx'
import { usesOf } from './pages.ts'
import { Sidebar } from './sidebar.tsx'
import { UnheardBanner } from './unheard-banner.tsx'
import styles from './shell.module.css'
import { useShortcuts } from './use-shortcuts.ts'

const Help = lazy(() => import('./help.tsx'))
const Palette = lazy(() => import('../features/palette/palette.tsx'))

export function Shell() {
  const [menu, setMenu] = useState(false)
  const [palette, setPalette] = useState(false)
  const [help, setHelp] = useState(false)
  const may = useMay()
  // What the page that is shown needs, not the one that is still loading.
  const needed = useRouterState({ select: ({ matches }) => usesOf(matches.at(-1)?.fullPath ?? '/') })
  const path = useRouterState({ select: (state) => state.location.pathname })
  useShortcuts({
    onPalette: useCallback(() => setPalette((open) => !open), []),
    onHelp: useCallback(() => setHelp(true), []),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes when the page changes
  useEffect(() => setMenu(false), [path])

  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to content
      </a>
      <aside className={styles.side}>
        <Sidebar onSearch={() => setPalette(true)} />
      </aside>
      <header className={styles.bar}>
        <IconButton label="Open the menu" icon={Menu} onClick={() => setMenu(true)} />
        <strong>Gantry</strong>
        <WaitingBadges />
        <LiveBadge />
        <IconButton label="Search" icon={Search} onClick={() => setPalette(true)} />
      </header>
      <main id="main" className={styles.main} tabIndex={-1}>
        <WaitingWatch />
        <LostBanner />
        <UnheardBanner />
        <ConfigBanner />
        {may(needed) ? <Outlet /> : <NotYours needed={needed} />}
      </main>
      {menu && (
        <Modal onClose={() => setMenu(false)} label="Menu" className={styles.drawer}>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: for links, also those to the page that is there already */}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: links turn Enter into a click */}
          <div
            className={styles.menu}
            onClick={({ target }) => (target as Element).closest('a') && setMenu(false)}
          >
            <Sidebar
              onSearch={() => {
                setMenu(false)
                setPalette(true)
              }}
            />
          </div>
        </Modal>
      )}
      {help && (
        <Suspense>
          <Help onClose={() => setHelp(false)} />
        </Suspense>
      )}
      {palette && (
        <Suspense>
          <Palette onClose={() => setPalette(false)} />
        </Suspense>
      )}
    </div>
  )
}

/** On narrow screens, where the list of pages is out of sight. */
function WaitingBadges() {
  const waiting = useWaiting().length
  const approvals = useOpenApprovals().length
  return (
    <>
      {waiting > 0 && (
        <Link to="/waiting">
          <Badge tone="violet">{waiting} waiting</Badge>
        </Link>
      )}
      {approvals > 0 && (
        <Link to="/approvals">
          <Badge tone="violet">{approvals} to approve</Badge>
        </Link>
      )}
    </>
  )
}
