import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { PushEngine, PushResult } from '#tasks/push/engine.ts'

export interface PushClient extends PushEngine {
  close(): Promise<void>
}

/** Result of a push without its latency. */
export type PushAnswer = Omit<PushResult, 'latencyMs'>

/** Meaning of a provider’s response. `retryAfter` is the provider’s rule for responses that contain none. */
export type ResponseMeaning = Pick<PushResult, 'outcome' | 'retryAfter' | 'suspect'>

/** A credential that cannot send anything. The message contains the reason and never the key. */
export class BadCredentialError extends Error {
  override name = 'BadCredentialError'
}

export function parsePrivateKey(pem: string, kind: 'ec' | 'rsa', name: string): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    // The cause is omitted, because OpenSSL’s messages may contain parts of the key.
    throw new BadCredentialError(`${name} must be a private key in PEM format.`)
  }
  if (key.asymmetricKeyType !== kind) {
    throw new BadCredentialError(`${name} is a key of the type ${key.asymmetricKeyType}, but must be ${kind}.`)
  }
  if (kind === 'ec' && key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new BadCredentialError(`${name} must be on the curve P-256.`)
  }
  return key
}
