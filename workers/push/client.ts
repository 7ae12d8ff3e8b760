import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { OnPushResults, Push, PushCredential, PushResult } from '#tasks/push/engine.ts'

/** The client of one provider. */
export interface PushClient {
  send(
    credential: PushCredential,
    pushes: readonly Push[],
    signal: AbortSignal,
    onResults?: OnPushResults,
  ): Promise<PushResult[]>
  check(credential: PushCredential, signal: AbortSignal): Promise<string | undefined>
  close(): Promise<void>
}

/** What became of a push, before it is known how long it took. */
export type PushAnswer = Omit<PushResult, 'latencyMs'>

/** What an answer of a provider means; `retryAfter` is the provider's rule where the answer itself says nothing. */
export type Meaning = Pick<PushResult, 'outcome' | 'retryAfter' | 'suspect'>

/** A credential with which nothing can be sent; the message says why, and never holds the key. */
export class BadCredential extends Error {
  override name = 'BadCredential'
}

/** Reads a PEM private key of the wanted kind. */
export function privateKeyOf(pem: string, kind: 'ec' | 'rsa', name: string): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    // The cause is left out: OpenSSL's messages may quote what they could not read.
    throw new BadCredential(`${name} must be a private key in PEM format.`)
  }
  if (key.asymmetricKeyType !== kind) {
    throw new BadCredential(`${name} is a key of the type ${key.asymmetricKeyType}, but must be ${kind}.`)
  }
  if (kind === 'ec' && key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new BadCredential(`${name} must be on the curve P-256.`)
  }
  return key
}
