import { forbidden } from '#lib/errors.ts'
import type { Caller } from '#sql/account/keys.ts'

/** Throws 403 for a key whose lock `calls` is false: it reads only. */
export function demandCalls({ locks }: Pick<Caller['key'], 'locks'>): void {
  if (locks.calls === false) throw forbidden('This key is locked by `calls: false`: it cannot place or end calls.')
}
