import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { onUnauthorized } from '../api/call.ts'
import { startLive } from '../api/live.ts'
import { queryClient } from '../api/queries.ts'
import { signIn } from '../api/session.ts'
import { Toasts } from '../ui/signs/toasts.tsx'
import { router } from './router.tsx'
import { SignIn } from './sign-in.tsx'

/** Whether the gateway knows this browser. Until it says no, it is taken to. */
type Session = 'in' | 'out' | 'signing-in'

export function App({ token }: { token: string | undefined }) {
  const [session, setSession] = useState<Session>(token === undefined ? 'in' : 'signing-in')
  const [error, setError] = useState<unknown>()
  const enter = useCallback(async (given: string) => {
    setError(undefined)
    try {
      await signIn(given)
      queryClient.clear()
      setSession('in')
    } catch (thrown) {
      setError(thrown)
      setSession('out')
    }
  }, [])
  useEffect(() => {
    if (token !== undefined) void enter(token)
  }, [token, enter])
  useEffect(() => onUnauthorized(() => setSession('out')), [])
  useEffect(() => (session === 'in' ? startLive() : undefined), [session])

  if (session === 'signing-in') return null
  if (session === 'out') return <SignIn onToken={enter} error={error} />
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  )
}
