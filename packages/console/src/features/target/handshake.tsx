import { useState } from 'react'
import type { InstanceDetail, TargetDetail } from '../../api/contract.ts'
import { Select } from '../../ui/controls/fields.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { EraBadge } from '../../ui/signs/badge.tsx'
import { isOff, StateBadge } from '../../ui/signs/state.tsx'
import styles from './handshake.module.css'
import { Steps } from './steps.tsx'

/** How the connection came about, step by step, for each connection there is. */
export function Handshake({ target }: { target: TargetDetail }) {
  const [key, setKey] = useState('')
  const instance = target.instances.find((one) => one.key === key) ?? target.instances[0]
  if (!instance) {
    return (
      <Empty title={isOff(target.state) ? 'It does not run' : 'It was not started yet'}>
        {isOff(target.state)
          ? 'Press Start to see the handshake.'
          : 'Targets start with their first use. Press Start to see the handshake now.'}
      </Empty>
    )
  }
  return (
    <div className={styles.handshake}>
      {target.instances.length > 1 && (
        <Choice instances={target.instances} chosen={instance} onChange={setKey} />
      )}
      <Steps steps={instance.steps} />
    </div>
  )
}

interface ChoiceProps {
  readonly instances: readonly InstanceDetail[]
  readonly chosen: InstanceDetail
  readonly onChange: (key: string) => void
}

function Choice({ instances, chosen, onChange }: ChoiceProps) {
  return (
    <p className={styles.choice}>
      <Select
        label="Connection"
        shown
        value={chosen.key}
        onChange={onChange}
        options={instances.map(({ key, label }) => [key, label])}
      />
      <StateBadge state={chosen.state} />
      <EraBadge era={chosen.era} revision={chosen.revision} />
    </p>
  )
}
