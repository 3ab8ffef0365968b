import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState, type KeyboardEvent } from 'react'
import { catalogQuery, overviewQuery, sessionQuery } from '../../api/queries.ts'
import { Modal } from '../../ui/layout/modal.tsx'
import styles from './palette.module.css'
import { commandsFor, rank } from './commands.ts'

const SHOWN = 40

/** Everything by name: pages, targets, tools, actions. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const { data: session } = useQuery(sessionQuery)
  const enabled = session?.role !== undefined
  const { data: overview } = useQuery({ ...overviewQuery, enabled })
  const { data: catalog } = useQuery({ ...catalogQuery, enabled })
  const navigate = useNavigate()
  const found = rank(commandsFor({ overview, catalog, session, navigate }), text).slice(0, SHOWN)
  const run = (index: number) => {
    const command = found[index]
    if (!command) return
    onClose()
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const next = (active + step + found.length) % Math.max(found.length, 1)
      setActive(next)
      document.getElementById(`palette-${next}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(active)
    }
  }
  return (
    <Modal onClose={onClose} label="Command palette" className={styles.palette}>
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${active}` : undefined}
        aria-label="Go to a page, target, tool or action"
        placeholder="Go to a page, target, tool or action"
        value={text}
        spellCheck={false}
        autoComplete="off"
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setText(event.target.value)
          setActive(0)
        }}
      />
      <div id="palette-list" role="listbox" aria-label="Results" className={styles.list}>
        {found.map(({ id, title, detail, icon: Icon }, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the field
          <div
            key={id}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === active}
            className={styles.option}
            onPointerMove={() => setActive(index)}
            onClick={() => run(index)}
          >
            <Icon size={15} aria-hidden />
            <span className={styles.title}>{title}</span>
            <span className={styles.detail}>{detail}</span>
          </div>
        ))}
      </div>
      <p className={styles.hint} role="status">
        {found.length === 0 ? 'Nothing has this name.' : '↑ ↓ to choose, Enter to go, Esc to close'}
      </p>
    </Modal>
  )
}
