import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ResponseIdScan } from './client-id-scan.ts'

function scan(text: string, cut = 7): unknown {
  const bytes = new TextEncoder().encode(text)
  const idScan = new ResponseIdScan()
  for (let at = 0; at < bytes.length; at += cut) idScan.push(bytes.subarray(at, at + cut))
  return idScan.responseId()
}

describe('ResponseIdScan', () => {
  it('finds the id before or after the result, and no other', () => {
    expect(scan('{"jsonrpc":"2.0","id":5,"result":{"id":6}}')).toBe(5)
    expect(scan('{"result":{"id":6,"a":[{"id":7}]},"jsonrpc":"2.0", "id" : 5 }')).toBe(5)
    expect(scan('{"result":{"text":"\\"id\\":6,{"},"id":"a,b}\\"c"}')).toBe('a,b}"c')
  })

  it('finds none in requests, notifications, arrays and noise', () => {
    expect(scan('{"jsonrpc":"2.0","id":5,"method":"ping"}')).toBeUndefined()
    expect(scan('{"jsonrpc":"2.0","method":"x","params":{"id":5}}')).toBeUndefined()
    expect(scan('[{"id":5}]')).toBeUndefined()
    expect(scan('{"id":1.5}')).toBeUndefined()
    expect(scan('}}}"id":5,')).toBeUndefined()
  })

  it('agrees with JSON.parse for every object', () => {
    const id = fc.oneof(fc.string({ maxLength: 20 }), fc.integer())
    fc.assert(
      fc.property(
        id,
        fc.jsonValue(),
        fc.boolean(),
        fc.integer({ min: 1, max: 50 }),
        (id, result, first, cut) => {
          const message = first ? { id, result } : { result, id }
          expect(scan(JSON.stringify(message), cut)).toBe(JSON.parse(JSON.stringify(id)))
        },
      ),
    )
  })
})
