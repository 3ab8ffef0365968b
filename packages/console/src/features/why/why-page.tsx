import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useDeferredValue } from 'react'
import type { WhyReport } from '../../api/contract.ts'
import { May } from '../../api/may.tsx'
import { whyQuery } from '../../api/queries.ts'
import { useCatalog } from '../../api/use-catalog.ts'
import { KindBadge } from '../../ui/signs/badge.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { SearchField } from '../../ui/controls/fields.tsx'
import { Failure, Notice } from '../../ui/signs/notice.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Rich } from '../../ui/text/rich.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { Chain } from './chain.tsx'
import { RuleReports } from './rule-reports.tsx'
import styles from './why-page.module.css'

const route = getRouteApi('/why')
const VERDICTS = { available: 'ok', degraded: 'warn', missing: 'bad' } as const
/** More than anybody reads in a list. */
const SUGGESTED = 50

const CALLER = /^(key|person|workload):./

/** Type a name, get the chain of causes. */
export function WhyPage() {
  const { name = '', as = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: catalog } = useCatalog()
  const asked = useDeferredValue(name.trim())
  const typed = useDeferredValue(as.trim())
  // Half a caller is no question yet.
  const caller = CALLER.test(typed) ? typed : ''
  const { data, error } = useQuery({ ...whyQuery({ name: asked, as: caller }), enabled: asked !== '' })
  // A tool and a prompt may share a name.
  const known = new Set(catalog?.entries.map(({ key }) => key).filter((key) => key.includes(asked)))
  return (
    <Page
      title="Why"
      lead="Why is a tool missing, slow, renamed, denied or old? Type its name, or a target’s."
    >
      <div className={styles.ask}>
        <SearchField
          label="Name of a tool, prompt, resource or target"
          value={name}
          onChange={(text) => navigate({ search: (old) => ({ ...old, name: text }), replace: true })}
          list={[...known].slice(0, SUGGESTED)}
          autoFocus
        />
        <input
          className={styles.principal}
          aria-label="As seen by this caller (optional)"
          placeholder="As seen by key:ops, person:ann"
          value={as}
          spellCheck={false}
          onChange={(event) =>
            navigate({ search: (old) => ({ ...old, as: event.target.value }), replace: true })
          }
        />
      </div>
      {asked === '' && (
        <Empty title="Nothing asked yet">
          You get every link between the configuration and the client: whether the target is configured, runs,
          offers the name, whether a filter or policy hides it, and what to do.
        </Empty>
      )}
      {error && <Failure error={error} />}
      {asked !== '' && !data && !error && <Skeleton lines={4} />}
      {asked !== '' && data && <Report report={data} />}
    </Page>
  )
}

function Report({ report }: { report: WhyReport }) {
  return (
    <div className={styles.report}>
      <Notice tone={VERDICTS[report.verdict]} title={<Rich text={report.summary} />} />
      <Chain causes={report.chain} />
      {report.rules && report.rules.length > 0 && <RuleReports rules={report.rules} />}
      {report.subject?.key !== undefined && report.subject.kind && (
        <p>
          <Link to="/catalog" search={{ entry: report.subject.key, entryKind: report.subject.kind }}>
            See its definition
          </Link>
          <May use="startCall">
            {' · '}
            <Link to="/playground" search={{ kind: report.subject.kind, name: report.subject.key }}>
              Try it
            </Link>
          </May>
        </p>
      )}
      {report.similar.length > 0 && <Similar report={report} />}
    </div>
  )
}

function Similar({ report }: { report: WhyReport }) {
  return (
    <section>
      <h2>Did you mean</h2>
      <ul className={styles.similar}>
        {report.similar.map(({ kind, key, target }) => (
          <li key={`${kind} ${key}`}>
            <KindBadge kind={kind} />
            <Link to="/why" search={{ name: key }}>
              <code>{key}</code>
            </Link>
            <span>of {target}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
