import { Toast } from '@base-ui/react/toast'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { onUnauthorized } from '../api/call.ts'
import { startLive } from '../api/live.ts'
import { queryClient } from '../api/queries.ts'
import { forgetToken, getToken, setToken } from '../api/token.ts'
import { toasts, Toasts } from '../ui/toasts.tsx'
import { router } from './router.tsx'
import { SignIn } from './sign-in.tsx'

export function App() {
  const [signedIn, setSignedIn] = useState(() => getToken() !== undefined)
  useEffect(
    () =>
      onUnauthorized(() => {
        forgetToken()
        setSignedIn(false)
      }),
    [],
  )
  useEffect(() => (signedIn ? startLive() : undefined), [signedIn])

  if (!signedIn) {
    return (
      <SignIn
        onToken={(token) => {
          setToken(token)
          queryClient.clear()
          setSignedIn(true)
        }}
      />
    )
  }
  return (
    <QueryClientProvider client={queryClient}>
      <Toast.Provider toastManager={toasts} timeout={6_000}>
        <RouterProvider router={router} />
        <Toasts />
      </Toast.Provider>
    </QueryClientProvider>
  )
}
