import { forbidden } from '#lib/errors.ts'
import type { Caller } from '#sql/account/keys.ts'

/** Throws 403 for a key that has any lock: webhooks are told of all of the organisation. */
export function demandUnlocked({ locks }: Pick<Caller['key'], 'locks'>): void {
  if (Object.values(locks).every((lock) => lock === undefined)) return
  throw forbidden('This key is locked to a part of the organisation, and webhooks are told of all of it.')
}
