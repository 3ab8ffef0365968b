import type { Access } from '../../api/contract.ts'
import { TextField } from '../../ui/controls/text-field.tsx'
import { readObject } from './read-object.ts'

export interface AskedCaller {
  readonly as: string
  readonly issuer: string
  /** As JSON. */
  readonly claims: string
}

/** Half a caller is no question yet. */
export function isCaller(as: string): boolean {
  return as === '' || /^(key|person|workload):./.test(as)
}

interface Props {
  readonly access: Access
  readonly caller: AskedCaller
  readonly onChange: (change: Partial<AskedCaller>) => void
}

/** Who is asked about: a key, a person, a program, or a caller without credentials. */
export function CallerFields({ access, caller, onChange }: Props) {
  const known = [
    ...access.keys.map(({ name }) => `key:${name}`),
    ...access.callers.flatMap(({ as }) => (as === undefined ? [] : [as])),
  ]
  const isToken = /^(person|workload):/.test(caller.as)
  return (
    <>
      <TextField
        label="Caller"
        value={caller.as}
        onChange={(as) => onChange({ as })}
        placeholder="without credentials"
        hint="key:NAME, person:SUBJECT or workload:SUBJECT"
        wrong={isCaller(caller.as) ? undefined : 'Write key:NAME, person:SUBJECT or workload:SUBJECT'}
        list={[...new Set(known)]}
        isCode
      />
      {isToken && (
        <TextField
          label="Issuer of its token"
          value={caller.issuer}
          onChange={(issuer) => onChange({ issuer })}
          placeholder={access.issuers[0]?.issuer ?? 'https://…'}
          list={access.issuers.map(({ issuer }) => issuer)}
          isCode
        />
      )}
      {isToken && (
        <TextField
          label="Claims in its token"
          value={caller.claims}
          onChange={(claims) => onChange({ claims })}
          placeholder='{"groups": ["support"]}'
          wrong={readObject(caller.claims).problem}
          rows={2}
          isCode
        />
      )}
    </>
  )
}
