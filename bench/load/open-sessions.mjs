import { openTarget, post } from './http-request.mjs'
import { echoCall } from './messages.mjs'

const AT_ONCE = 16
const { message } = echoCall('legacy')

/** Opens sessions, each with the handshake and one call; the target with the last of them. */
export async function openSessions(target, count) {
  let left = count
  let last
  const opener = async () => {
    while (left-- > 0) {
      last = await openTarget(target)
      const { status } = await post(last, message)
      if (status !== 200) throw new Error(`status ${status} in a new session`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, opener))
  return last
}
