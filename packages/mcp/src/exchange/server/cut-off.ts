import { INTERNAL_ERROR, ProtocolError } from '../../jsonrpc/index.ts'

/** What a call is answered with that is still under way when its server stops: never silence. */
export function cutOff(): ProtocolError {
  return new ProtocolError(
    INTERNAL_ERROR,
    'The server is shutting down and did not finish this call. It may have taken effect; check before you repeat it.',
  )
}
