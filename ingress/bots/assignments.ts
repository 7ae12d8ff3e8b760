import { z } from 'zod'
import { badRequest, conflict } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/bots/assignments.ts'
import * as handovers from '#sql/bots/handovers.ts'
import { assignConversation } from '#tasks/bots/rules/assign-conversation.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { Handover } from './handovers.ts'
import { findConversation, lockConversation, ofConversation } from './lock-conversation.ts'

const assignedMeanwhile = problem(
  409,
  'assigned_meanwhile',
  'The assignee is not `expected_assignee_id`. `details` contains the current `assignee_id`.',
)

export const update = route({
  method: 'PUT',
  path: '/{botId}/conversations/{conversationId}/assignee',
  summary: 'Assign a conversation to a member',
  description:
    'Assigns a handed-over conversation to a member of your organisation, or removes the assignee. Viewers cannot have conversations. A member who is removed or becomes a viewer loses their conversations immediately. The new assignee gets an email if another person or a key assigned the conversation.',
  scope: 'bots:write',
  idempotent: true,
  params: ofConversation,
  body: z.strictObject({
    member_id: Id.nullable().describe('User ID of the member. `null` removes the assignee.'),
    expected_assignee_id: Id.nullable()
      .optional()
      .describe(
        'Assignee that you have read. If the conversation has another assignee now, the API returns `409 assigned_meanwhile`.',
      ),
  }),
  status: 200,
  reply: Handover,
  problems: ['not_found', 'conflict', assignedMeanwhile],
  async handle({ body: { member_id, expected_assignee_id }, db, ...call }) {
    const { id, org_id, closed_at } = await lockConversation(db, call)
    if (closed_at) throw conflict('The conversation is closed.')
    const handover = await handovers.find(db, org_id, id)
    if (!handover) throw conflict('The bot handles this conversation. Start a handover first.')
    const { assignee_id } = handover
    if (expected_assignee_id !== undefined && assignee_id !== expected_assignee_id && assignee_id !== member_id)
      throw assignedMeanwhile('The conversation has another assignee now.', { assignee_id })
    const assigned = await assignConversation(db, { handover, to: member_id, by: call.actor, reason: 'assigned' })
    if (assigned) return assigned
    throw badRequest([{ field: 'body.member_id', issue: 'must be a member who can reply, not a viewer' }])
  },
})

const Assignment = z
  .object({
    id: Id,
    assignee_id: Id.nullable().describe('Member who got the conversation. `null` if the assignee was removed.'),
    assignee_name: z.string().nullable(),
    by_kind: z.enum(['member', 'key', 'system']),
    by_id: Id.nullable().describe('Member or key that assigned the conversation'),
    by_name: z.string().nullable().describe('Name of the member. `null` for keys and the system.'),
    reason: z
      .enum(['assigned', 'replied', 'removed', 'role_changed'])
      .describe(
        '`replied`: the first reply assigned the conversation. `removed` and `role_changed`: the assignee lost access.',
      ),
    created_at: Instant,
  })
  .meta({ id: 'bots.Assignment' })

export const list = listRoute({
  path: '/{botId}/conversations/{conversationId}/assignments',
  summary: 'List the assignments of a conversation, newest first',
  description: 'Returns the history of a conversation’s assignees. It is deleted with the conversation.',
  scope: 'bots:read',
  params: ofConversation,
  item: Assignment,
  problems: ['not_found'],
  async rows({ org, params, db }, page) {
    const { id } = await findConversation(db, { org, params })
    return await rows.list(db, { orgId: org.id, conversationId: id }, page)
  },
  present: (row) => row,
})
