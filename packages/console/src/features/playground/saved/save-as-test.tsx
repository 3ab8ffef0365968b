import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FlaskConical } from 'lucide-react'
import { call } from '../../../api/call.ts'
import { overviewQuery } from '../../../api/queries.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { saveFile } from '../../../ui/text/save-file.ts'
import { notify, notifyError } from '../../../ui/signs/toasts.tsx'
import { fileNameOf, toTest } from './to-test.ts'

/** A call that is over, as a test that can be run again and again. */
export function SaveAsTest({ id }: { id: string }) {
  const queries = useQueryClient()
  const save = useMutation({
    mutationFn: async () => {
      const { endpoint } = await queries.ensureQueryData(overviewQuery)
      const detail = await call('playgroundCall', { params: { id } })
      const name = fileNameOf(detail)
      saveFile(toTest(detail, endpoint), name)
      return name
    },
    onSuccess: (name) => notify(`Saved ${name}. Run it with: node ${name}`),
    onError: notifyError,
  })
  return (
    <Button icon={FlaskConical} disabled={save.isPending} onClick={() => save.mutate()}>
      Save as test
    </Button>
  )
}
