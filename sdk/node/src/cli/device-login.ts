import { APIError, ConnectionError, MillraceError } from '../errors.ts'
import { pause } from '../retries.ts'
import type { Transport } from '../transport.ts'
import type { Identity } from './whoami.ts'

interface DeviceRequest {
  client_name: string
  scopes: string[]
  mode: 'test' | 'live'
}

/** A login that waits for its confirmation (RFC 8628). */
interface PendingLogin {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  expires_in: number
  interval: number
}

export type GrantedLogin = Identity & { secret: string }

export const startLogin = (transport: Transport, body: DeviceRequest): Promise<PendingLogin> =>
  transport.json<PendingLogin>({ verb: 'POST', path: '/v1/account/devices', body, open: true })

/** Waits until a member confirms or denies the login. Throws if it is denied or expires. */
export async function waitForGrant(
  transport: Transport,
  { device_code, expires_in, interval }: PendingLogin,
  signal: AbortSignal,
): Promise<GrantedLogin> {
  const end = Date.now() + expires_in * 1_000
  const call = { verb: 'POST', path: '/v1/account/devices/token', body: { device_code }, open: true }
  // RFC 8628 §3.2: without a value, 5 seconds.
  let waitMs = interval >= 1 && interval <= 60 ? interval * 1_000 : 5_000
  while (Date.now() < end) {
    await pause(waitMs, signal)
    try {
      return checked(await transport.json<GrantedLogin>(call, { signal, maxRetries: 0 }))
    } catch (failure) {
      waitMs = nextWaitMs(failure, waitMs)
    }
  }
  throw new MillraceError(expired)
}

/** Throws unless the key is one that requests can contain. */
function checked(granted: GrantedLogin): GrantedLogin {
  if (typeof granted.secret === 'string' && /^[\x21-\x7e]{8,500}$/.test(granted.secret)) return granted
  throw new MillraceError('The server returned an invalid key.')
}

const expired = 'The login expired before it was confirmed. Run the command again.'

/** Returns the time until the next question. Throws if another question cannot help. */
function nextWaitMs(failure: unknown, waitMs: number): number {
  if (failure instanceof ConnectionError) return waitMs
  if (!(failure instanceof APIError)) throw failure
  const { code, status, retryAfter } = failure
  if (code === 'authorization_pending' || status >= 500) return waitMs
  // The interval stays longer (RFC 8628 §3.5).
  if (code === 'slow_down') return waitMs + 5_000
  if (status === 429) return Math.max(waitMs, Math.min(retryAfter ?? 5, 300) * 1_000)
  if (code === 'expired_token') throw new MillraceError(expired)
  throw failure
}
