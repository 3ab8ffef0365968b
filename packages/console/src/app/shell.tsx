import { Dialog } from '@base-ui/react/dialog'
import { Outlet, useRouterState } from '@tanstack/react-router'
import { Menu, Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { IconButton } from '../ui/button.tsx'
import { ConfigBanner } from './config-banner.tsx'
import { LiveBadge } from './live-badge.tsx'
import { Sidebar } from './sidebar.tsx'
import styles from './shell.module.css'
import { useShortcuts } from './use-shortcuts.ts'

const Palette = lazy(() => import('../features/palette/palette.tsx'))

export function Shell() {
  const [menu, setMenu] = useState(false)
  const [palette, setPalette] = useState(false)
  const path = useRouterState({ select: (state) => state.location.pathname })
  useShortcuts(() => setPalette((open) => !open))
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
        <LiveBadge />
        <IconButton label="Search" icon={Search} onClick={() => setPalette(true)} />
      </header>
      <main id="main" className={styles.main} tabIndex={-1}>
        <ConfigBanner />
        <Outlet />
      </main>
      <Dialog.Root open={menu} onOpenChange={setMenu}>
        <Dialog.Portal>
          <Dialog.Backdrop className={styles.backdrop} />
          <Dialog.Popup className={styles.drawer} aria-label="Menu">
            <Sidebar
              onSearch={() => {
                setMenu(false)
                setPalette(true)
              }}
            />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
      {palette && (
        <Suspense>
          <Palette onClose={() => setPalette(false)} />
        </Suspense>
      )}
    </div>
  )
}
