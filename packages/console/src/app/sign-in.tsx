import { LogIn } from 'lucide-react'
import { useEffect, useState, type FormEvent } from 'react'
import { askSession, doorsOf, leaveToSignIn, type Doors } from '../api/session.ts'
import { Button } from '../ui/controls/button.tsx'
import { setPageTitle } from '../ui/layout/page-title.ts'
import { Failure } from '../ui/signs/notice.tsx'
import styles from './sign-in.module.css'

interface Props {
  readonly onToken: (token: string) => void
  /** Why the last attempt failed. */
  readonly error?: unknown
}

/** Shown when the gateway does not know this browser. */
export function SignIn({ onToken, error }: Props) {
  const [asked, setAsked] = useState<Doors>()
  const doors = doorsOf(error) ?? asked
  useEffect(() => {
    setPageTitle('Sign in')
    askSession().catch((refused: unknown) =>
      setAsked(doorsOf(refused) ?? { canSignIn: false, hasToken: true }),
    )
  }, [])
  if (!doors) return null
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <h1>Open the console</h1>
        {error !== undefined && <Failure error={error} />}
        {doors.canSignIn && (
          <>
            <Button tone="primary" icon={LogIn} onClick={leaveToSignIn}>
              Sign in with your company
            </Button>
            <p className={styles.or}>or</p>
          </>
        )}
        <TokenForm onToken={onToken} doors={doors} />
      </div>
    </main>
  )
}

function TokenForm({ onToken, doors }: { onToken: (token: string) => void; doors: Doors }) {
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const token = text.trim().replace(/^.*#token=/s, '')
    if (token !== '') onToken(decodeURIComponent(token))
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      {doors.hasToken ? (
        <p>
          <code>gantry serve</code> prints a console URL that ends in <code>#token=…</code>. Open that URL, or
          paste it here. <code>gantry console</code> prints it again.
        </p>
      ) : (
        <p>Paste a key or an access token of this gateway.</p>
      )}
      <label>
        <span>{doors.hasToken ? 'Console URL or token' : 'Key or token'}</span>
        <input
          value={text}
          onChange={(event) => setText(event.target.value)}
          autoComplete="off"
          spellCheck={false}
        />
      </label>
      <Button type="submit" tone={doors.canSignIn ? 'plain' : 'primary'} disabled={text.trim() === ''}>
        Continue
      </Button>
    </form>
  )
}
