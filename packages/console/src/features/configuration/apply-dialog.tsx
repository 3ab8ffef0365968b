import type { ConfigCheck, ConfigEffects } from '../../api/contract.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/layout/dialog.tsx'
import { DiffView } from '../../ui/text/diff-view.tsx'
import { Failure, Notice } from '../../ui/signs/notice.tsx'
import styles from './configuration-page.module.css'

interface Props {
  readonly open: boolean
  readonly title?: string
  readonly check: ConfigCheck
  readonly isSaving: boolean
  readonly error: Error | null
  readonly onApply: () => void
  readonly onClose: () => void
}

/** What will be different, in the file and in what runs, before it is. */
export function ApplyDialog({
  open,
  title = 'Apply these changes?',
  check,
  isSaving,
  error,
  onApply,
  onClose,
}: Props) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      wide
      actions={
        <>
          <Button onClick={onClose}>Not yet</Button>
          <Button tone="primary" disabled={isSaving || !check.ok} onClick={onApply}>
            Save and apply
          </Button>
        </>
      }
    >
      {error && <Failure error={error} />}
      <Difference check={check} />
    </Dialog>
  )
}

export function Difference({ check }: { check: ConfigCheck }) {
  return (
    <>
      {check.effects && <Effects effects={check.effects} />}
      <DiffView hunks={check.diff} label="Difference to the file" />
    </>
  )
}

function Effects({ effects }: { effects: ConfigEffects }) {
  const { added, removed, changed, sections, untouched, needsRestart } = effects
  return (
    <>
      <ul className={styles.effects}>
        {added.length > 0 && <li>Adds {added.join(', ')}.</li>}
        {removed.length > 0 && <li>Removes {removed.join(', ')}; clients lose their tools.</li>}
        {changed.map(({ name, keys, reconnect }) => (
          <li key={name}>
            Changes {name} ({keys.join(', ')});{' '}
            {reconnect ? 'its connections are made anew.' : 'its connections stay.'}
          </li>
        ))}
        {sections.length > 0 && <li>Changes {sections.join(', ')}.</li>}
        {untouched.length > 0 && <li>Does not touch {untouched.join(', ')}.</li>}
      </ul>
      {needsRestart.length > 0 && (
        <Notice tone="warn" title="Takes effect when the gateway is restarted">
          {needsRestart.join(' ')}
        </Notice>
      )}
    </>
  )
}
