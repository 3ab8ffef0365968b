import { useMutation } from '@tanstack/react-query'
import { LogIn } from 'lucide-react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/controls/button.tsx'
import { isSafeLink } from '../../ui/text/safe-url.ts'
import { notify, notifyError } from '../../ui/signs/toasts.tsx'

/** Opens the page on which a person lets the gateway use a server. */
export function SignIn({ name }: { name: string }) {
  const signIn = useMutation({
    mutationFn: () => call('signIn', { params: { name } }),
    onSuccess: ({ url }) => {
      if (isSafeLink(url)) window.open(url, '_blank', 'noopener')
      else notify('The server names a page that cannot be opened safely.', 'bad', url)
    },
    onError: notifyError,
  })
  return (
    <Button tone="primary" icon={LogIn} disabled={signIn.isPending} onClick={() => signIn.mutate()}>
      Sign in
    </Button>
  )
}
