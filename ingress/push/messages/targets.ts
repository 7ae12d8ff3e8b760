import { z } from 'zod'
import type { Message } from '#sql/push/messages.ts'
import { Tag, Topic, UserId } from '../fields.ts'

const mostUsers = 1_000

const rule = z.array(Tag).max(20).default([])

const TagRuleForm = z
  .strictObject({
    all: rule.describe('The device has all of these tags'),
    any: rule.describe('The device has at least one of these tags'),
    none: rule.describe('The device has none of these tags'),
  })
  .refine(
    ({ all, any, none }) => all.length + any.length + none.length > 0,
    'must contain at least one tag. For all devices, use the target `all`.',
  )

export const TargetForm = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('user'), id: UserId }),
  z.strictObject({
    type: z.literal('users'),
    ids: z
      .array(UserId)
      .min(1)
      .max(mostUsers)
      .transform((ids) => [...new Set(ids)]),
  }),
  z.strictObject({ type: z.literal('topic'), id: Topic }),
  z.strictObject({ type: z.literal('segment'), tags: TagRuleForm }),
  z.strictObject({ type: z.literal('all') }),
])

export const ShownTarget = z.discriminatedUnion('type', [
  z.object({ type: z.literal('user'), id: z.string() }),
  z.object({ type: z.literal('users'), ids: z.array(z.string()) }),
  z.object({ type: z.literal('topic'), id: z.string() }),
  z.object({
    type: z.literal('segment'),
    tags: z.object({ all: z.array(z.string()), any: z.array(z.string()), none: z.array(z.string()) }),
  }),
  z.object({ type: z.literal('all') }),
])

/** Columns of a message’s recipients: one user by the customer’s own ID, or many recipients. */
type Recipients = Pick<Message, 'target' | 'user_id' | 'audience'>

export function getRecipients(target: z.output<typeof TargetForm>): Recipients {
  const { type } = target
  switch (type) {
    case 'user':
      return { target: type, user_id: target.id, audience: null }
    case 'users':
      return { target: type, user_id: null, audience: { users: target.ids } }
    case 'topic':
      return { target: type, user_id: null, audience: { topic: target.id } }
    case 'segment':
      return { target: type, user_id: null, audience: { tags: target.tags } }
    case 'all':
      return { target: type, user_id: null, audience: {} }
  }
}
