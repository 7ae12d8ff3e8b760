import { isIP } from 'node:net'
import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { checkKey } from '#tasks/account/rules/ask-key.ts'
import { everyLock, getLockRule, lockNames, scopesOfLock } from '#tasks/account/rules/locks.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { catalogue } from '../http/services.ts'
import { findReachableKey } from './key-reach.ts'

const text = z.string().min(1).max(300).optional()

const Body = z.strictObject({
  operation: z
    .string()
    .min(1)
    .max(200)
    .describe('Operation ID, as returned by `GET /v1`. For example, `email.messages.create`.'),
  facts: z
    .strictObject({
      from: text.describe('Sender address or domain'),
      app_id: Id.optional(),
      site_id: Id.optional(),
      tenant_id: text,
      origin: text.describe('Origin of the web page that sends the request'),
      network: text
        .refine((ip) => ip === undefined || isIP(ip) !== 0, 'must be an IP address')
        .describe('IP address that sends the request'),
    })
    .prefault({}),
})

const Fact = Body.shape.facts.unwrap().keyof()

const Verdict = z
  .object({
    allowed: z.boolean(),
    why: z
      .array(
        z.object({
          kind: z.enum(['state', 'public_key', 'test_mode', 'scope', 'lock', 'network']),
          name: z.string(),
          message: z.string(),
        }),
      )
      .describe('All reasons why the call would be rejected'),
    depends_on: z.array(Fact).describe('Facts that you omitted and that could also cause a rejection'),
  })
  .meta({ id: 'account.KeyVerdict' })

export const create = route({
  method: 'POST',
  path: '/account/keys/{id}/check',
  summary: 'Check whether a key can call an operation',
  description:
    'Checks the key’s state, scopes, locks and networks against the operation and the given facts. The operation is not called.',
  scope: 'account:read',
  testKeys: 'sandbox',
  locks: everyLock,
  beyondContract: true,
  repeatable: true,
  params: z.object({ id: pathId('key') }),
  body: Body,
  status: 200,
  reply: Verdict,
  problems: ['not_found'],
  async handle({ params: { id }, body, org, key: asking, db, services }) {
    const key = await mustFind(findReachableKey(db, { org, key: asking }, id), 'key')
    const operation = services(catalogue).find((one) => one.id === body.operation)
    if (!operation)
      throw badRequest([{ field: 'body.operation', issue: 'must be the ID of an operation. `GET /v1` lists them.' }])
    return checkKey(key, operation, body.facts)
  },
  example: { body: { operation: 'email.messages.create', facts: { from: 'hello@shop.example' } } },
})

const Lock = z
  .object({
    name: z.string(),
    scopes: z
      .array(z.string())
      .nullable()
      .describe('A key with this lock must have one of these scopes. `null`: any scope.'),
    binds: z.array(z.string()).describe('Operations that apply the lock to their objects'),
    refuses: z.array(z.string()).describe('Operations that reject keys with this lock'),
  })
  .meta({ id: 'account.Lock' })

export const locks = route({
  method: 'GET',
  path: '/account/locks',
  summary: 'List locks and their operations',
  description: 'Returns each key lock with the scopes that it limits and the operations that reject a locked key.',
  scope: 'account:read',
  testKeys: 'shared',
  locks: [],
  beyondContract: true,
  status: 200,
  reply: z.object({ data: z.array(Lock) }),
  async handle({ services }) {
    const asked = services(catalogue).filter(({ scope }) => scope !== null)
    const data = lockNames.map((name) => {
      const ruled = (rule: 'binds' | 'refuses') =>
        asked.filter(({ locks }) => getLockRule(locks, name) === rule).map(({ id }) => id)
      const used = scopesOfLock[name]
      return { name, scopes: used === 'any' ? null : [...used], binds: ruled('binds'), refuses: ruled('refuses') }
    })
    return { data }
  },
})
