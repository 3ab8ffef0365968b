import { Link } from '@tanstack/react-router'
import { May } from '../../api/may.tsx'
import { Empty } from '../../ui/signs/empty.tsx'

export function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No exchange matches the filter">
        Fields: tool, method, target, client, status, era, error, durations such as &gt;500ms and lengths such
        as &gt;10kb. A minus in front negates.
      </Empty>
    )
  return (
    <Empty
      title="No exchanges yet"
      action={
        <May use="startCall">
          <Link to="/playground">Make a call in the playground</Link>
        </May>
      }
    >
      As soon as a client uses the gateway, its requests show here. Messages are kept from the moment this
      page was opened, and of calls that failed before.
    </Empty>
  )
}
