import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/account/people/invitations.ts'
import { Role } from '#sql/account/people/members.ts'
import { mailInvitation } from '#tasks/account/mail-invitation.ts'
import { invite, resend, withdraw } from '#tasks/account/rules/invitations.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { actForKey } from './acting.ts'
import { alreadyInvited, alreadyMember, invitationLimit } from './people.ts'

const Invitation = z
  .object({
    id: Id,
    email: z.string(),
    role: Role,
    made_by_key: Id.nullable().describe(
      'API key that created the invitation. The invitation is valid only as long as this key. `null` if a member created the invitation.',
    ),
    created_at: Instant,
    sent_at: Instant.nullable().describe('When the last invitation email was sent. `null` if the email is pending.'),
    expires_at: Instant,
  })
  .meta({ id: 'account.Invitation' })

const params = z.object({ id: pathId('invitation') })

export const list = listRoute({
  path: '/account/invitations',
  summary: 'List pending invitations',
  description: 'Returns pending invitations. Accepted, withdrawn and expired invitations are not included.',
  scope: 'account:members',
  beyondContract: true,
  item: Invitation,
  rows: ({ org, db }, page) => rows.listPending(db, org.id, page),
  present: (invitation) => invitation,
})

export const create = route({
  method: 'POST',
  path: '/account/invitations',
  summary: 'Invite a member by email',
  description:
    'The link is sent only by email and expires after seven days. An API key can invite members with any role except `owner`.',
  scope: 'account:members',
  beyondContract: true,
  limit: { perMinute: 30, by: 'org' },
  enqueues: mailInvitation,
  body: z.strictObject({ email: Address, role: Role }),
  status: 201,
  reply: Invitation,
  problems: ['forbidden', alreadyMember, alreadyInvited, invitationLimit],
  example: { body: { email: 'ann@example.com', role: 'developer' } },
  async handle(call) {
    return await call.db.transaction((tx) => invite(tx, actForKey(call), call.body))
  },
})

export const again = route({
  method: 'POST',
  path: '/account/invitations/{id}/resend',
  summary: 'Resend an invitation',
  description: 'The new link expires after seven days. The previous link stops working.',
  scope: 'account:members',
  beyondContract: true,
  limit: { perMinute: 10, by: 'org' },
  enqueues: mailInvitation,
  params,
  status: 200,
  reply: Invitation,
  problems: ['forbidden', 'not_found'],
  async handle(call) {
    return await call.db.transaction((tx) => resend(tx, actForKey(call), call.params.id))
  },
})

export const remove = route({
  method: 'DELETE',
  path: '/account/invitations/{id}',
  summary: 'Withdraw an invitation',
  description: 'The link in the invitation email stops working immediately.',
  scope: 'account:members',
  beyondContract: true,
  params,
  status: 204,
  problems: ['forbidden', 'not_found'],
  async handle(call) {
    await call.db.transaction((tx) => withdraw(tx, actForKey(call), call.params.id))
  },
})
