import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { PhoneNumber } from '#lib/phone-number.ts'
import * as rows from '#sql/sms/opt-outs.ts'
import { addOptOut, removeOptOut } from '#tasks/sms/rules/change-opt-outs.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { Sender } from './fields.ts'

const OptOut = z
  .object({
    id: Id,
    phone: z.string().nullable().describe('`null` if the person was erased. The opt-out still applies.'),
    from: z.string().nullable().describe('Sender to which the opt-out is limited. `null` for all senders.'),
    source: rows.table.Row.shape.source.describe(
      '`keyword`: the person sent STOP. `api`: you added it. `provider`: the provider reported it.',
    ),
    keyword: z.string().nullable().describe('Text that the person sent'),
    created_at: Instant,
  })
  .meta({ id: 'sms.OptOut' })

const present = ({ sender, keyword, org_id: _, ...row }: rows.OptOut): z.input<typeof OptOut> => ({
  ...row,
  phone: rows.isErased(row) ? null : row.phone,
  from: sender === '' ? null : sender,
  keyword: keyword === '' ? null : keyword,
})

export const create = route({
  method: 'POST',
  path: '/opt-outs',
  summary: 'Add an opt-out',
  description:
    'Messages to this person are rejected, and pending messages fail. Returns an existing opt-out unchanged.',
  scope: 'sms:manage',
  body: z.strictObject({
    phone: PhoneNumber,
    from: Sender.optional().describe('Sender to which the opt-out is limited. Default: all senders.'),
  }),
  status: 200,
  reply: OptOut,
  example: { body: { phone: '+3725550123' } },
  async handle({ body, org, db }) {
    const wanted = { org_id: org.id, phone: body.phone, sender: body.from ?? '', source: 'api', keyword: null } as const
    return await db.transaction(async (tx) => present(await addOptOut(tx, wanted)))
  },
})

export const list = listRoute({
  path: '/opt-outs',
  summary: 'List opt-outs',
  description: 'Returns the people to whom you do not send messages, newest first.',
  scope: 'sms:read',
  filters: rows.filters,
  query: {
    phone: PhoneNumber.optional().describe('Phone number in E.164 format. Encode `+` as `%2B` in the URL.'),
    source: rows.table.Row.shape.source.optional(),
  },
  item: OptOut,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const remove = removeRoute({
  path: '/opt-outs/{id}',
  summary: 'Remove an opt-out',
  description: 'Use it only if the person asked for messages again.',
  scope: 'sms:manage',
  params: z.object({ id: pathId('opt-out') }),
  what: 'opt-out',
  remove: ({ params, org, db }) => db.transaction((tx) => removeOptOut(tx, org.id, params.id)),
})
