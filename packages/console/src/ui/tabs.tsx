import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import styles from './tabs.module.css'

export interface Tab {
  readonly id: string
  readonly title: ReactNode
  readonly content: () => ReactNode
}

interface Props {
  readonly tabs: readonly Tab[]
  readonly value: string
  readonly onChange: (id: string) => void
  readonly label: string
}

export function Tabs({ tabs, value, onChange, label }: Props) {
  const active = tabs.some(({ id }) => id === value) ? value : (tabs[0]?.id ?? '')
  return (
    <Base.Root value={active} onValueChange={(id) => onChange(String(id))}>
      <Base.List className={styles.list} aria-label={label}>
        {tabs.map(({ id, title }) => (
          <Base.Tab key={id} value={id} className={styles.tab}>
            {title}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(({ id, content }) => (
        <Base.Panel key={id} value={id} className={styles.panel}>
          {id === active && content()}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
