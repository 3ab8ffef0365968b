import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { TargetDetail } from '../../api/contract.ts'
import { addStderr, stderrOf } from '../../api/stderr-store.ts'
import { useStore } from '../../api/store.ts'
import { CopyButton } from '../../ui/controls/copy.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { Check, SearchField } from '../../ui/controls/fields.tsx'
import { formatTime } from '../../ui/text/format.ts'
import styles from './stderr.module.css'

/** What the process says on stderr, as it says it. */
export function Stderr({ target }: { target: TargetDetail }) {
  const lines = useStore(stderrOf(target.name))
  const [text, setText] = useState('')
  const [follow, setFollow] = useState(true)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => addStderr(target.name, target.stderr), [target.name, target.stderr])
  const shown =
    text === '' ? lines : lines.filter((line) => line.text.toLowerCase().includes(text.toLowerCase()))
  useLayoutEffect(() => {
    if (follow && shown.length > 0) box.current?.scrollTo(0, box.current.scrollHeight)
  }, [follow, shown])

  if (lines.length === 0) {
    return (
      <Empty title="Nothing on stderr">
        {target.kind === 'stdio'
          ? 'The process has not written anything yet. New lines show here at once.'
          : 'This target is not a process of this gateway, so there is no stderr to read.'}
      </Empty>
    )
  }
  return (
    <div className={styles.stderr}>
      <div className={styles.bar}>
        <SearchField label="Find in the log" value={text} onChange={setText} />
        <Check label="Follow" checked={follow} onChange={setFollow} />
        <CopyButton text={() => shown.map((line) => line.text).join('\n')} label="Copy all" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable, so the keyboard has to get there */}
      <div ref={box} className={styles.lines} role="log" aria-label="stderr" tabIndex={0}>
        {shown.map((line) => (
          <div key={line.seq}>
            <time>{formatTime(line.at)}</time>
            <span>{line.text}</span>
          </div>
        ))}
      </div>
    </div>
  )
}
