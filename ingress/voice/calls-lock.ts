import { forbidden } from '#lib/errors.ts'
import type { Caller } from '#sql/account/keys.ts'
import { lockRefusal } from '#tasks/account/rules/locks.ts'

/** Throws 403 if the key's lock `calls` is false. */
export function demandCalls({ locks }: Pick<Caller['key'], 'locks'>): void {
  if (locks.calls === false) throw forbidden(lockRefusal('calls'))
}
