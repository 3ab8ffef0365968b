import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Moon, Plus, Search, Sun, SunMoon } from 'lucide-react'
import { recording } from '../api/live.ts'
import { useMay } from '../api/may.tsx'
import { overviewQuery, sessionQuery } from '../api/queries.ts'
import { useStore } from '../api/store.ts'
import { useOpenApprovals } from '../features/approvals/use-approvals.ts'
import { useWaiting } from '../features/waiting/use-waiting.ts'
import { formatCount, plural } from '../ui/text/format.ts'
import { StateDot } from '../ui/signs/state.tsx'
import { LiveBadge } from './live-badge.tsx'
import { pagesOf } from './pages.ts'
import { Person } from './person.tsx'
import styles from './sidebar.module.css'
import { nextTheme, setTheme, theme } from './theme.ts'

const THEME_ICONS = { system: SunMoon, light: Sun, dark: Moon }

export function Sidebar({ onSearch }: { onSearch: () => void }) {
  const may = useMay()
  const { data: session } = useQuery(sessionQuery)
  const { data } = useQuery({ ...overviewQuery, enabled: may('overview') })
  const waiting = useWaiting().length
  const approvals = useOpenApprovals().length
  const chosen = useStore(theme)
  const isRecording = useStore(recording)
  const ThemeIcon = THEME_ICONS[chosen]
  return (
    <div className={styles.sidebar}>
      <div className={styles.brand}>
        <img src="/console/icon.svg" alt="" width="22" height="22" />
        <span>{data?.gateway.title ?? 'Gantry'}</span>
        <LiveBadge />
      </div>
      <button type="button" className={styles.search} onClick={onSearch}>
        <Search size={14} aria-hidden />
        <span>Search</span>
        <kbd>{isMac() ? '⌘' : 'Ctrl'} K</kbd>
      </button>
      <nav aria-label="Pages" className={styles.nav}>
        {pagesOf(data, session).map(({ to, title, icon: Icon, key }) => (
          <Link
            key={to}
            to={to}
            className={styles.link}
            activeOptions={{ exact: to === '/', includeSearch: false }}
            title={`g ${key}`}
          >
            <Icon size={15} aria-hidden />
            <span>{title}</span>
            {to === '/waiting' && waiting > 0 && (
              <span className={styles.waiting} title={`${plural(waiting, 'call')} waiting for an answer`}>
                {waiting}
              </span>
            )}
            {to === '/approvals' && approvals > 0 && (
              <span className={styles.waiting} title={`${plural(approvals, 'call')} waiting for approval`}>
                {approvals}
              </span>
            )}
            {to === '/wire' && isRecording && <span className={styles.recording}>rec</span>}
          </Link>
        ))}
      </nav>
      {may('targets') && (
        <div className={styles.heading}>
          <h2>Targets</h2>
          {may('addTarget') && (
            <Link to="/add-target" aria-label="Add a target" title="Add a target">
              <Plus size={15} aria-hidden />
            </Link>
          )}
        </div>
      )}
      <nav aria-label="Targets" className={styles.targets}>
        {data?.targets.map((card) => (
          <Link
            key={card.name}
            to="/targets/$name"
            params={{ name: card.name }}
            className={styles.link}
            activeOptions={{ includeSearch: false }}
          >
            <StateDot state={card.state} />
            <span className={styles.name}>{card.name}</span>
            <span className={styles.count}>{card.counts.tools > 0 && formatCount(card.counts.tools)}</span>
          </Link>
        ))}
        {data?.targets.length === 0 && <p className={styles.none}>None yet.</p>}
      </nav>
      {session && <Person session={session} />}
      <button type="button" className={styles.theme} onClick={() => setTheme(nextTheme(chosen))}>
        <ThemeIcon size={14} aria-hidden />
        <span>Theme: {chosen}</span>
        <span className={styles.version}>{data?.gateway.version}</span>
      </button>
    </div>
  )
}

function isMac(): boolean {
  return navigator.platform.startsWith('Mac')
}
