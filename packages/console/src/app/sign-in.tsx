import { useState, type FormEvent } from 'react'
import { Button } from '../ui/controls/button.tsx'
import { Failure } from '../ui/signs/notice.tsx'
import styles from './sign-in.module.css'

interface Props {
  readonly onToken: (token: string) => void
  /** Why the last attempt failed. */
  readonly error?: unknown
}

/** Shown when the gateway does not know this browser. */
export function SignIn({ onToken, error }: Props) {
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const token = text.trim().replace(/^.*#token=/s, '')
    if (token !== '') onToken(decodeURIComponent(token))
  }
  return (
    <main className={styles.page}>
      <form className={styles.card} onSubmit={submit}>
        <h1>Open the console</h1>
        <p>
          <code>gantry serve</code> prints a console URL that ends in <code>#token=…</code>. Open that URL, or
          paste it here. <code>gantry console</code> prints it again.
        </p>
        {error !== undefined && <Failure error={error} />}
        <label>
          <span>Console URL or token</span>
          <input
            value={text}
            onChange={(event) => setText(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </label>
        <Button type="submit" tone="primary" disabled={text.trim() === ''}>
          Continue
        </Button>
      </form>
    </main>
  )
}
