import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/account/members.ts'
import { changeRole, removeMember } from '#tasks/account/rules/members.ts'
import { Instant } from '../http/instant.ts'
import { orderedListRoute } from '../http/lists/pagination.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { actOfKey } from './acting.ts'
import { lastOwner } from './people.ts'

const Member = z
  .object({
    user_id: Id,
    email: z.string(),
    name: z.string(),
    role: rows.Role,
    created_at: Instant.describe('Since when they belong to the organisation'),
    seen_at: Instant.nullable().describe('When a session of theirs was last used; null when none is open'),
    disabled_at: Instant.nullable(),
    passkeys: z.int().describe('How many they can sign in with'),
  })
  .meta({ id: 'account.Member' })

const params = z.object({ user_id: pathId('member') })

/** `GET /v1/account/members`: people who sign in for the organisation. */
export const list = orderedListRoute({
  path: '/account/members',
  summary: 'List members',
  description: 'Returns the people who can sign in to the organisation, with their role and their number of passkeys.',
  scope: 'account:members',
  beyondContract: true,
  item: Member,
  key: Id,
  keyOf: ({ user_id }: rows.Member) => user_id,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present: (member) => member,
})

/** `PATCH /v1/account/members/{user_id}`: gives a member another role. */
export const update = route({
  method: 'PATCH',
  path: '/account/members/{user_id}',
  summary: 'Give a member another role',
  description:
    'Their sessions end: they sign in anew. Owners are made and changed by an owner in the dashboard, by no key.',
  scope: 'account:members',
  beyondContract: true,
  params,
  body: z.strictObject({ role: rows.Role }),
  status: 200,
  reply: Member,
  problems: ['forbidden', 'not_found', lastOwner],
  async handle(call) {
    return await call.db.transaction((tx) => changeRole(tx, actOfKey(call), call.params.user_id, call.body.role))
  },
})

/** `DELETE /v1/account/members/{user_id}`: ends a membership. */
export const remove = route({
  method: 'DELETE',
  path: '/account/members/{user_id}',
  summary: 'Remove a member',
  description: 'Their sessions end at once. Keys that they made go on: a key is judged by its own scopes.',
  scope: 'account:members',
  beyondContract: true,
  params,
  status: 204,
  problems: ['forbidden', 'not_found', lastOwner],
  async handle(call) {
    await call.db.transaction((tx) => removeMember(tx, actOfKey(call), call.params.user_id))
  },
})
