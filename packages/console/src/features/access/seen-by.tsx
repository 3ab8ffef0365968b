import { getRouteApi } from '@tanstack/react-router'
import type { Access } from '../../api/contract.ts'
import { useSettled } from '../../ui/hooks/use-settled.ts'
import styles from './access.module.css'
import { CallerFields, isCaller } from './caller-fields.tsx'
import { EndpointSelect } from './endpoint-select.tsx'
import { readObject } from './read-object.ts'
import { SeenTable } from './seen-table.tsx'

const route = getRouteApi('/access')

/** An endpoint as one caller sees it, with what is kept from it and by what. */
export function SeenBy({ access }: { access: Access }) {
  const {
    as = '',
    issuer = '',
    claims = '',
    endpoint = '',
    q = '',
    show = '',
    entry = '',
  } = route.useSearch()
  const navigate = route.useNavigate()
  const set = (change: Record<string, string>) =>
    navigate({ search: (old) => ({ ...old, ...change }), replace: true })
  const asked = useSettled({ as, issuer, claims })
  const isReady = isCaller(asked.as) && !readObject(asked.claims).problem
  const { value } = readObject(asked.claims)
  return (
    <div className={styles.part}>
      <form className={styles.form} onSubmit={(event) => event.preventDefault()}>
        <CallerFields access={access} caller={{ as, issuer, claims }} onChange={set} />
        {access.views.length > 0 && (
          <EndpointSelect
            access={access}
            value={endpoint}
            onChange={(next) => set({ endpoint: next, entry: '' })}
          />
        )}
      </form>
      {isReady && (
        <SeenTable
          ask={{
            ...(endpoint !== '' && { endpoint }),
            ...(asked.as !== '' && { as: asked.as }),
            ...(asked.issuer !== '' && { issuer: asked.issuer }),
            ...(value && { claims: value }),
          }}
          shown={{ q, show, entry }}
          onShow={set}
        />
      )}
    </div>
  )
}
