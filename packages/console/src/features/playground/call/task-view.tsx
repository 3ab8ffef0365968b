import { Link } from '@tanstack/react-router'
import type { JsonObject } from '../../../api/contract.ts'
import { Badge } from '../../../ui/signs/badge.tsx'
import { JsonTree } from '../../../ui/text/json-tree.tsx'
import { setDraft } from '../drafts.ts'

const TONES: Readonly<Record<string, 'ok' | 'bad' | 'warn' | 'violet'>> = {
  completed: 'ok',
  failed: 'bad',
  cancelled: 'warn',
}

/** The call became a task: how it stands, and how to ask for it from elsewhere. */
export function TaskView({ task }: { task: JsonObject }) {
  const status = String(task.status)
  return (
    <section aria-label="Task">
      <h3>
        It runs as a task <Badge tone={TONES[status] ?? 'violet'}>{status.replaceAll('_', ' ')}</Badge>
      </h3>
      {typeof task.statusMessage === 'string' && <p>{task.statusMessage}</p>}
      <JsonTree value={task} open={0} />
      <p>
        <Link
          to="/playground"
          search={{ kind: 'request', name: 'tasks/get' }}
          onClick={() => setDraft({ kind: 'request', name: 'tasks/get' }, { taskId: task.taskId })}
        >
          Ask for it as any client could
        </Link>
      </p>
    </section>
  )
}
