import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import type { Secret } from '#sql/account/key-secrets.ts'
import * as keys from '#sql/account/keys.ts'
import { Instant } from '../http/instant.ts'
import { problem } from '../http/problem-kinds.ts'

/** Problems of keys. */
export const scopeNotHeld = problem(403, 'scope_not_held', 'The calling key does not have a scope of the other key.')
export const keyLimit = problem(409, 'key_limit', 'The organisation has reached its limit of API keys.')
export const keyRevoked = problem(409, 'key_revoked', 'The API key is revoked.')
export const rotationRunning = problem(409, 'rotation_running', 'The API key already has two active secrets.')
export const lockWithoutScope = problem(400, 'lock_without_scope', 'A lock does not apply to any of the scopes.')

const KeySecret = z
  .object({
    id: Id,
    start: z.string().describe('How it begins: the prefix, and four characters where they are known'),
    created_at: Instant,
    expires_at: Instant.nullable(),
    first_used_at: Instant.nullable(),
    last_used_at: Instant.nullable(),
  })
  .meta({ id: 'account.KeySecret' })

const fields = {
  id: Id,
  name: z.string(),
  prefix: z.string(),
  start: z.string().describe('How its newest secret begins'),
  scopes: z.array(z.string()),
  locks: keys.Locks,
  mode: keys.Mode,
  public: z.boolean(),
  created_by: z.string().nullable().describe('The kind of actor and its id, as `user:…`; null where it was not noted'),
  made_by_key: Id.nullable().describe(
    'The key that made it, with which it ends. `null` if a member made it, or an owner has confirmed it.',
  ),
  created_at: Instant,
  expires_at: Instant.nullable(),
  last_used_at: Instant.nullable(),
  revoked_at: Instant.nullable(),
  rate_per_minute: z.number().nullable(),
  networks: z.array(z.string()).nullable(),
  note: z.string().nullable(),
  secrets: z.array(KeySecret).describe('Those that are good, newest first: two while it is rotated'),
}

export const ApiKey = z.object(fields).meta({ id: 'account.Key' })

export const ApiKeyWithSecret = z
  .object({ ...fields, secret: secret(z.string()).describe('The key itself, this once') })
  .meta({ id: 'account.KeyWithSecret' })

/** A key as its organisation sees it. */
export function presentKey(key: keys.Key, all: readonly Secret[]): z.input<typeof ApiKey> {
  const secrets = all.filter(({ key_id }) => key_id === key.id)
  return { ...key, start: secrets[0]?.start ?? key.prefix, public: key.prefix === 'bt_site_', secrets }
}
