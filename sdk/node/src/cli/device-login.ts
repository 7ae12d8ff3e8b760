import { APIError, MillraceError } from '../errors.ts'
import { pause } from '../retries.ts'
import type { Transport } from '../transport.ts'
import type { Identity } from './whoami.ts'

export interface DeviceRequest {
  client_name: string
  scopes: string[]
  mode: 'test' | 'live'
}

/** A login that waits for its confirmation (RFC 8628). */
export interface PendingLogin {
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
  let waitMs = interval * 1_000
  while (Date.now() < end) {
    await pause(waitMs, signal)
    try {
      const body = { device_code }
      return await transport.json<GrantedLogin>(
        { verb: 'POST', path: '/v1/account/devices/token', body, open: true },
        { signal },
      )
    } catch (failure) {
      if (!(failure instanceof APIError)) {
        // The confirmation may still be picked up after an interruption of the network.
        if (failure instanceof MillraceError && failure.name !== 'MillraceError') continue
        throw failure
      }
      if (failure.code === 'slow_down') waitMs += 5_000
      else if (failure.status === 429) waitMs = Math.max(waitMs, (failure.retryAfter ?? 5) * 1_000)
      else if (failure.code !== 'authorization_pending' && failure.status < 500) throw explained(failure)
    }
  }
  throw new MillraceError(expired)
}

const expired = 'The login expired before it was confirmed. Run the command again.'

function explained(failure: APIError): Error {
  if (failure.code === 'access_denied') return new MillraceError('The login was denied in the dashboard.')
  return failure.code === 'expired_token' ? new MillraceError(expired) : failure
}
