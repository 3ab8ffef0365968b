import type { PortabilityFinding } from '../../api/contract.ts'
import { Badge } from '../../ui/signs/badge.tsx'
import { Rich } from '../../ui/text/rich.tsx'
import styles from './portability.module.css'

/** What known clients refuse or cut, with the place in the definition. */
export function Portability({ findings }: { findings: readonly PortabilityFinding[] }) {
  if (findings.length === 0) {
    return <p className={styles.fine}>Known clients take this definition as it is.</p>
  }
  return (
    <ul className={styles.list} aria-label="Portability">
      {findings.map(({ code, where, message, clients, fix }) => (
        <li key={`${code} ${where}`}>
          <span className={styles.head}>
            {clients.map((client) => (
              <Badge key={client} tone="warn">
                {client}
              </Badge>
            ))}
            <code>{where}</code>
          </span>
          <p>
            <Rich text={`${message}.`} /> {fix !== undefined && <Rich text={fix} />}
          </p>
        </li>
      ))}
    </ul>
  )
}
