import { z } from 'zod'
import * as rows from '#sql/verify/verifications.ts'
import { emitVerification } from '#tasks/verify/rules/emit-verification.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { Country, UserId } from './fields.ts'
import { ownerOf } from './owner.ts'
import { toSearched } from './recipient.ts'
import { notOpen } from './refusals.ts'
import { present, Verification } from './shape.ts'

const params = z.object({ id: pathId('verification') })

export const cancel = route({
  method: 'POST',
  path: '/{id}/cancel',
  summary: 'Cancel a verification',
  description: 'The code is no longer valid. Repeating the request has no further effect.',
  scope: 'verify:write',
  testKeys: 'sandbox',
  locks: ['from_domains', 'site_id'],
  params,
  status: 200,
  reply: Verification,
  problems: ['not_found', notOpen],
  async handle({ params: { id }, org, key, db }) {
    const owner = ownerOf({ org, key })
    const ended = await db.transaction(async (tx) => {
      const canceled = await rows.cancel(tx, owner, id)
      if (canceled) await emitVerification(tx, 'verify.canceled', canceled)
      return canceled ?? (await mustFind(rows.find(tx, owner, id), 'verification'))
    })
    if (ended.shown !== 'canceled') throw notOpen(`The verification is ${ended.shown}.`)
    return present(ended)
  },
})

export const list = listRoute({
  path: '',
  summary: 'List verifications, newest first',
  description: 'Returns verifications without their codes. A test key gets the verifications of test keys.',
  scope: 'verify:read',
  testKeys: 'sandbox',
  locks: ['from_domains', 'site_id'],
  filters: rows.filters,
  query: {
    status: z.enum(rows.statuses).optional(),
    channel: rows.Channel.optional(),
    to: z
      .string()
      .min(1)
      .max(320)
      .transform(toSearched)
      .optional()
      .describe('Recipient. Encode `+` as `%2B` in the URL.'),
    user_id: UserId.optional(),
    country: Country.optional(),
  },
  item: Verification,
  rows: (call, page) => rows.list(call.db, ownerOf(call), page),
  present,
})

export const read = route({
  method: 'GET',
  path: '/{id}',
  summary: 'Read a verification',
  description: 'Returns the status of the verification and the delivery of its last code.',
  scope: 'verify:read',
  testKeys: 'sandbox',
  locks: ['from_domains', 'site_id'],
  params,
  status: 200,
  reply: Verification,
  problems: ['not_found'],
  async handle({ params: { id }, org, key, db }) {
    return present(await mustFind(rows.find(db, ownerOf({ org, key }), id), 'verification'))
  },
})
