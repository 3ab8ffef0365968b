import { Link } from '@tanstack/react-router'
import type { JsonObject } from '../../api/contract.ts'
import { JsonTree } from '../../ui/json-tree.tsx'
import { setDraft } from './drafts.ts'

/** The call became a task: it goes on without us, and can be asked for. */
export function TaskView({ task }: { task: JsonObject }) {
  const fill = (method: string) => () => setDraft({ kind: 'request', name: method }, { taskId: task.taskId })
  return (
    <section>
      <h3>It became a task</h3>
      <JsonTree value={task} open={1} />
      <p>
        <Link to="/playground" search={{ kind: 'request', name: 'tasks/get' }} onClick={fill('tasks/get')}>
          Ask how it stands
        </Link>{' '}
        ·{' '}
        <Link
          to="/playground"
          search={{ kind: 'request', name: 'tasks/cancel' }}
          onClick={fill('tasks/cancel')}
        >
          Cancel it
        </Link>
      </p>
    </section>
  )
}
