import * as keys from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import type { Import, Part } from '#sql/moving/imports.ts'
import type { Scope } from '../../account/rules/scopes.ts'
import { MovingFault } from './providers/fault.ts'

const scopeOf: Readonly<Record<Part, Scope>> = {
  templates: 'email:manage',
  suppressions: 'email:manage',
  contacts: 'email:manage',
  devices: 'push:manage',
  assets: 'stream:write',
}

/** Returns the scopes that a key needs for an import of these parts. */
export const scopesOf = (parts: readonly Part[]): Scope[] => [...new Set(parts.map((part) => scopeOf[part]))]

/** Throws if the key that started the import was revoked or lost a scope, or if the organisation was closed. */
export async function demandAuthority(tx: Db, { key_id, parts }: Import): Promise<void> {
  const [key] = await keys.findActive(tx, [key_id])
  if (!key) throw new MovingFault('The API key that started the import is no longer active. Start the import again.')
  // The dashboard’s key has the permissions of each member, which were checked when the member started the import.
  const missing = key.is_managed && scopesOf(parts).find((scope) => !key.scopes.includes(scope))
  if (missing) throw new MovingFault(`The API key that started the import does not have the scope ${missing}.`)
}
