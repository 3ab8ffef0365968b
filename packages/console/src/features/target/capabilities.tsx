import type { TargetDetail } from '../../api/contract.ts'
import { Card } from '../../ui/layout/card.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { JsonTree } from '../../ui/text/json-tree.tsx'
import { Markdown } from '../../ui/text/lazy-markdown.tsx'
import styles from './processes.module.css'

export function Capabilities({
  target: { capabilities, instructions, discovery },
}: {
  target: TargetDetail
}) {
  if (!capabilities && !discovery) {
    return (
      <Empty title="Not known yet">A target says what it can do when it is connected. Press Start.</Empty>
    )
  }
  return (
    <div className={styles.list}>
      {capabilities && (
        <Card title="Capabilities">
          <JsonTree value={capabilities} open={4} />
        </Card>
      )}
      {instructions && (
        <Card title="Instructions for models">
          <Markdown text={instructions} />
        </Card>
      )}
      {discovery && (
        <Card title="Its answer to the handshake">
          <JsonTree value={discovery} open={2} />
        </Card>
      )}
    </div>
  )
}
