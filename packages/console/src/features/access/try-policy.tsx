import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Access } from '../../api/contract.ts'
import { whyQuery } from '../../api/queries.ts'
import { useCatalog } from '../../api/use-catalog.ts'
import { Empty } from '../../ui/signs/empty.tsx'
import { Failure, Notice } from '../../ui/signs/notice.tsx'
import { Rich } from '../../ui/text/rich.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { useSettled } from '../../ui/hooks/use-settled.ts'
import { Chain } from '../why/chain.tsx'
import { RuleReports } from '../why/rule-reports.tsx'
import styles from './access.module.css'
import { CallerFields, isCaller } from './caller-fields.tsx'
import { EndpointSelect } from './endpoint-select.tsx'
import { readObject } from './read-object.ts'

const route = getRouteApi('/access')
/** More than anybody reads in a list. */
const SUGGESTED = 50

/** Who, what, with which arguments: is it allowed, and why? Nothing is called. */
export function TryPolicy({ access }: { access: Access }) {
  const { as = '', issuer = '', claims = '', name = '', args = '', endpoint = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const set = (change: Record<string, string>) =>
    navigate({ search: (old) => ({ ...old, ...change }), replace: true })
  const { data: catalog } = useCatalog()
  const asked = useSettled({ as, issuer, claims, name, args, view: endpoint })
  const isReady =
    asked.name !== '' &&
    isCaller(asked.as) &&
    !readObject(asked.claims).problem &&
    !readObject(asked.args).problem
  const { data, error } = useQuery({
    // Without arguments it is a call without any, not a look at a list.
    ...whyQuery({ ...asked, args: asked.args.trim() || '{}' }),
    enabled: isReady,
  })
  const known = new Set(catalog?.entries.map(({ key }) => key).filter((key) => key.includes(name)))
  return (
    <div className={styles.part}>
      <form className={styles.form} onSubmit={(event) => event.preventDefault()}>
        <CallerFields access={access} caller={{ as, issuer, claims }} onChange={set} />
        <TextField
          label="Tool, prompt or resource"
          value={name}
          onChange={(text) => set({ name: text })}
          placeholder="github_create_issue"
          list={[...known].slice(0, SUGGESTED)}
          isCode
        />
        <TextField
          label="Arguments"
          value={args}
          onChange={(text) => set({ args: text })}
          placeholder="{}"
          wrong={readObject(args).problem}
          rows={2}
          isCode
        />
        {access.views.length > 0 && (
          <EndpointSelect access={access} value={endpoint} onChange={(value) => set({ endpoint: value })} />
        )}
      </form>
      {error && isReady && <Failure error={error} />}
      {!isReady && (
        <Empty title="Nothing is called">
          Say who calls what, and with which arguments. You get what each rule says of it, and which one
          decides.
        </Empty>
      )}
      {isReady && data && (
        <>
          <Verdict chain={data.chain} />
          {data.rules && data.rules.length > 0 && <RuleReports rules={data.rules} />}
          <Chain causes={data.chain} />
        </>
      )}
    </div>
  )
}

/** What policy says. Whether the target works is further down. */
function Verdict({ chain }: { chain: Parameters<typeof Chain>[0]['causes'] }) {
  const ruling = chain.find(({ code }) => code === 'allowed' || code === 'denied')
  if (!ruling) return <Notice tone="warn" title="No rule could be asked: it is not there to call." />
  return (
    <Notice tone={ruling.code === 'allowed' ? 'ok' : 'bad'} title={<Rich text={ruling.title} />}>
      {ruling.detail && <Rich text={ruling.detail} />}
    </Notice>
  )
}
