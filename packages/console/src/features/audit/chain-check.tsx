import { useMutation } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { call } from '../../api/call.ts'
import type { AuditReport } from '../../api/contract.ts'
import { Button } from '../../ui/controls/button.tsx'
import { formatCount, plural } from '../../ui/text/format.ts'
import { Failure, Notice } from '../../ui/signs/notice.tsx'
import { Clock } from '../../ui/text/time.tsx'

/** Reads the whole trail, so it is done when one asks for it. */
export function useChainCheck() {
  const check = useMutation({
    mutationFn: async () => ({ report: await call('verifyAudit'), at: Date.now() }),
  })
  return {
    button: (
      <Button icon={ShieldCheck} disabled={check.isPending} onClick={() => check.mutate()}>
        {check.isPending ? 'Checking…' : 'Check the chain'}
      </Button>
    ),
    result: (
      <>
        {check.error && <Failure error={check.error} />}
        {check.data && <Report {...check.data} />}
      </>
    ),
  }
}

function Report({ report: { ok, chains, faults }, at }: { report: AuditReport; at: number }) {
  const events = chains.reduce((sum, chain) => sum + chain.events, 0)
  const signed = chains.reduce((sum, chain) => sum + chain.signed, 0)
  const facts = `${formatCount(events)} events in ${plural(chains.length, 'chain')}, ${plural(signed, 'signature')}`
  return (
    <Notice
      tone={ok ? 'ok' : 'bad'}
      title={ok ? 'The chain holds: no event was touched' : 'The chain is broken'}
    >
      <p>
        {facts}, checked at <Clock at={at} />.
      </p>
      {faults.length > 0 && (
        <ul aria-label="Faults">
          {faults.map(({ file, line, problem }) => (
            <li key={`${file} ${line} ${problem}`}>
              <code>{line === undefined ? file : `${file}:${line}`}</code> {problem}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  )
}
