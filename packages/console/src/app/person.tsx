import { LogOut } from 'lucide-react'
import type { SessionInfo } from '../api/contract.ts'
import { signOut } from '../api/session.ts'
import { IconButton } from '../ui/controls/button.tsx'
import { notifyError } from '../ui/signs/toasts.tsx'
import styles from './person.module.css'

/** Who has signed in, as what, and the way out. The token of the gateway names no person. */
export function Person({ session }: { session: SessionInfo }) {
  const { name, principal, role = 'no role', isPerson } = session
  const isToken = principal === 'console'
  const leave = () =>
    signOut().then(
      () => location.assign('/console/'),
      (error: unknown) => notifyError(error as Error),
    )
  return (
    <div className={styles.person}>
      <span className={styles.name} title={principal}>
        {isToken ? 'Console token' : isPerson ? name : principal}
      </span>
      {!isToken && <span className={styles.role}>{role}</span>}
      <IconButton label="Sign out" icon={LogOut} onClick={() => void leave()} />
    </div>
  )
}
