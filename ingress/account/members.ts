import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/account/people/members.ts'
import { changeRole, removeMember } from '#tasks/account/rules/members.ts'
import { Instant } from '../http/instant.ts'
import { orderedListRoute } from '../http/lists/pagination.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { actForKey } from './acting.ts'
import { lastOwner } from './people.ts'

const Member = z
  .object({
    user_id: Id,
    email: z.string(),
    name: z.string(),
    role: rows.Role,
    created_at: Instant.describe('Time when the member joined'),
    seen_at: Instant.nullable().describe('When a session of the member was last used. `null` if no session is open.'),
    disabled_at: Instant.nullable(),
    passkeys: z.int().describe('Number of passkeys'),
  })
  .meta({ id: 'account.Member' })

const params = z.object({ user_id: pathId('member') })

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

export const update = route({
  method: 'PATCH',
  path: '/account/members/{user_id}',
  summary: 'Update the role of a member',
  description: 'Ends the member’s sessions. Only an owner can add or change owners, and only in the dashboard.',
  scope: 'account:members',
  beyondContract: true,
  params,
  body: z.strictObject({ role: rows.Role }),
  status: 200,
  reply: Member,
  problems: ['forbidden', 'not_found', lastOwner],
  async handle(call) {
    return await call.db.transaction((tx) => changeRole(tx, actForKey(call), call.params.user_id, call.body.role))
  },
})

export const remove = route({
  method: 'DELETE',
  path: '/account/members/{user_id}',
  summary: 'Remove a member',
  description: 'Ends the member’s sessions immediately. API keys that the member created stay active.',
  scope: 'account:members',
  beyondContract: true,
  params,
  status: 204,
  problems: ['forbidden', 'not_found', lastOwner],
  async handle(call) {
    await call.db.transaction((tx) => removeMember(tx, actForKey(call), call.params.user_id))
  },
})
