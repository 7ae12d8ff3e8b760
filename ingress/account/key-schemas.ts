import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import type { Secret } from '#sql/account/keys/secrets.ts'
import * as keys from '#sql/account/keys.ts'
import { describeAiLimits } from '#tasks/account/rules/ai-limits.ts'
import { Instant } from '../http/instant.ts'
import { problem } from '../http/problem-kinds.ts'

export const scopeNotHeld = problem(403, 'scope_not_held', 'The calling key does not have all scopes of the other key.')
export const keyLimit = problem(409, 'key_limit', 'The organisation has reached its limit of API keys.')
export const keyRevoked = problem(409, 'key_revoked', 'The API key is revoked.')
export const rotationRunning = problem(409, 'rotation_running', 'The API key already has two active secrets.')
export const lockWithoutScope = problem(400, 'lock_without_scope', 'A lock does not apply to any scope of the key.')

const KeySecret = z
  .object({
    id: Id,
    start: z.string().describe('First characters of the secret: its prefix and, if stored, the next four characters'),
    created_at: Instant,
    expires_at: Instant.nullable(),
    first_used_at: Instant.nullable(),
    last_used_at: Instant.nullable(),
  })
  .meta({ id: 'account.KeySecret' })

const amount = z.string().nullable()

const KeyLimits = z
  .object({
    models: z.array(z.string()).nullable().describe('Models that the key can use. `null`: all models.'),
    budget: z
      .object({
        currency: z.string(),
        monthly: amount.describe('Budget per month in UTC. `null`: no monthly budget.'),
        daily: amount.describe('Budget per day in UTC. `null`: no daily budget.'),
      })
      .nullable(),
  })
  .meta({ id: 'account.KeyAiLimits' })

const fields = {
  id: Id,
  name: z.string(),
  prefix: z.string(),
  start: z.string().describe('First characters of the newest secret'),
  scopes: z.array(z.string()),
  locks: keys.Locks,
  mode: keys.Mode,
  public: z.boolean(),
  created_by: z
    .string()
    .nullable()
    .describe('Kind and ID of the actor. For example, `user:…`. `null` if not recorded.'),
  made_by_key: Id.nullable().describe(
    'API key that created this key. If that key ends, so does this key. `null` if a member created this key or an owner confirmed it.',
  ),
  client_name: z
    .string()
    .nullable()
    .describe(
      'Name of the program that requested the key with a device login. It is not verified. `null` for other keys.',
    ),
  created_at: Instant,
  expires_at: Instant.nullable(),
  last_used_at: Instant.nullable(),
  revoked_at: Instant.nullable(),
  rate_per_minute: z.number().nullable(),
  networks: z.array(z.string()).nullable(),
  note: z.string().nullable(),
  ai: KeyLimits.nullable().describe('AI limits. They also apply to keys that the key created. `null`: none.'),
  secrets: z.array(KeySecret).describe('Active secrets, newest first. During a rotation, there are two.'),
}

export const ApiKey = z.object(fields).meta({ id: 'account.Key' })

export const ApiKeyWithSecret = z
  .object({ ...fields, secret: secret(z.string()).describe('API key. Returned only in this response.') })
  .meta({ id: 'account.KeyWithSecret' })

export function presentKey(key: keys.Key, all: readonly Secret[]): z.input<typeof ApiKey> {
  const secrets = all.filter(({ key_id }) => key_id === key.id)
  return {
    ...key,
    ai: describeAiLimits(key.ai),
    start: secrets[0]?.start ?? key.prefix,
    public: key.prefix === 'bt_site_',
    secrets,
  }
}
