import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { isUnreachable, onUnauthorized } from '../api/call.ts'
import { startLive } from '../api/live.ts'
import { queryClient, sessionQuery } from '../api/queries.ts'
import { signIn, type Credential } from '../api/session.ts'
import { Failure } from '../ui/signs/notice.tsx'
import { Toasts } from '../ui/signs/toasts.tsx'
import { router } from './router.tsx'
import { SignIn } from './sign-in.tsx'

/** Whether the gateway knows this browser. Until it says no, it is taken to. */
type State = 'in' | 'out' | 'signing-in'

/** Between two tries of a page that was opened while the gateway was away. */
const TRY_AGAIN = 2_000

export function App({ credential }: { credential: Credential | undefined }) {
  const [state, setState] = useState<State>(credential === undefined ? 'in' : 'signing-in')
  const [error, setError] = useState<unknown>()
  const enter = useCallback(async (given: Credential) => {
    setError(undefined)
    try {
      const session = await signIn(given)
      queryClient.clear()
      queryClient.setQueryData(sessionQuery.queryKey, session)
      setState('in')
    } catch (thrown) {
      setError(thrown)
      setState('out')
    }
  }, [])
  useEffect(() => {
    if (credential !== undefined) void enter(credential)
  }, [credential, enter])
  useEffect(() => onUnauthorized(() => setState('out')), [])

  if (state === 'signing-in') return null
  if (state === 'out') return <SignIn onToken={(token) => void enter({ token })} error={error} />
  return (
    <QueryClientProvider client={queryClient}>
      <Known onUnknown={() => setState('out')} />
      <Toasts />
    </QueryClientProvider>
  )
}

/** The pages, as soon as it is known who looks at them: what they offer depends on it. */
function Known({ onUnknown }: { onUnknown: () => void }) {
  const { data, error } = useQuery({
    ...sessionQuery,
    retry: false,
    refetchInterval: ({ state }) =>
      state.data === undefined && isUnreachable(state.error) ? TRY_AGAIN : false,
  })
  const role = data?.role
  const isUnknown = error !== null && !isUnreachable(error)
  useEffect(() => (role === undefined ? undefined : startLive()), [role])
  useEffect(() => {
    if (isUnknown) onUnknown()
  }, [isUnknown, onUnknown])
  if (data && !isUnknown) return <RouterProvider router={router} />
  return error && !isUnknown ? <Failure error={error} /> : null
}
