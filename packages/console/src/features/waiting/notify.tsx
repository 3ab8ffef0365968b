import { Bell } from 'lucide-react'
import { useStore } from '../../api/store.ts'
import { Badge } from '../../ui/signs/badge.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { askForPermission, permission } from './notifications.ts'

/** Lets the browser tell of calls that wait for a person. */
export function Notify() {
  const state = useStore(permission)
  if (state === 'unsupported') return null
  if (state === 'granted') return <Badge tone="ok">notifications are on</Badge>
  if (state === 'denied') return <Badge>the browser refuses notifications</Badge>
  return (
    <Button icon={Bell} onClick={() => void askForPermission()}>
      Notify me
    </Button>
  )
}
