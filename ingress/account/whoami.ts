import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as keys from '#sql/account/keys.ts'
import { everyLock } from '#tasks/account/rules/locks.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { ApiKey } from './key-schemas.ts'

const { id, name, prefix, scopes, locks, mode, client_name, networks, rate_per_minute, created_by } = ApiKey.shape

const Whoami = z
  .object({
    key: z.object({
      ...{ id, name, prefix, scopes, locks, mode, client_name, networks, rate_per_minute, created_by },
      expires_at: Instant.nullable().describe('Earliest expiry of the key, its secret and the keys that created it'),
    }),
    organisation: z.object({ id: Id, name: z.string(), plan: z.string() }),
  })
  .meta({ id: 'account.Whoami' })

export const read = route({
  method: 'GET',
  path: '/account/whoami',
  summary: 'Read the calling API key',
  description:
    'Returns the key of the request, with its scopes, locks and mode, and its organisation. With a test key, messages are recorded and not delivered.',
  scope: [],
  testKeys: 'shared',
  locks: everyLock,
  beyondContract: true,
  status: 200,
  reply: Whoami,
  tool: { name: 'whoami' },
  async handle({ org, key, db }) {
    const { created_by, client_name } = await mustFind(keys.find(db, org.id, key.id), 'key')
    const { id, name, prefix, scopes, locks, mode, networks, rate_per_minute, expires_at } = key
    return {
      key: {
        ...{ id, name, prefix, scopes, locks, mode, networks, rate_per_minute, created_by, client_name },
        expires_at: expires_at === null ? null : new Date(expires_at),
      },
      organisation: { id: org.id, name: org.name, plan: org.plan },
    }
  },
})
