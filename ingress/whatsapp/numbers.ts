import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import * as rows from '#sql/whatsapp/business-numbers.ts'
import { emitNumber } from '#tasks/whatsapp/rules/emit-number.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { noAnswerInTime } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { connectNumber, numberConnected, numberTaken, subscribeWebhooks } from './connect-number.ts'
import { NumberForm, RotateNumberBody } from './number-form.ts'
import { checkRotation, sealGivenSecrets } from './rotate-number.ts'
import { notConfigured } from './settings.ts'
import { webhookUrl } from './webhook-url.ts'

const params = z.object({ id: pathId('number') })

const BusinessNumber = z
  .object({
    id: Id,
    phone_number_id: z.string(),
    business_account_id: z.string(),
    display_phone: z.string().nullable().describe('Phone number for display'),
    verified_name: z.string().nullable(),
    webhook_url: z.url().describe('URL to which Meta sends messages and status updates'),
    webhook_subscribed: z
      .boolean()
      .describe(
        'True if Meta accepted `webhook_url`. Otherwise, enter the URL in the Meta app, with the verify token.',
      ),
    created_at: Instant,
    rotated_at: Instant.nullable().describe('Time of the last change of a secret'),
  })
  .meta({ id: 'whatsapp.BusinessNumber' })

const present = (row: rows.Facts, origin: string): z.input<typeof BusinessNumber> => ({
  id: row.id,
  phone_number_id: row.phone_number_id,
  business_account_id: row.account_id,
  display_phone: row.display_phone,
  verified_name: row.verified_name,
  webhook_url: webhookUrl(origin, row.id),
  webhook_subscribed: row.subscribed,
  created_at: row.created_at,
  rotated_at: row.rotated_at,
})

export const connect = route({
  method: 'POST',
  path: '/numbers',
  summary: 'Connect your own number',
  description:
    'Meta checks each field, and the error names a rejected field. After that, all messages of the organisation use this number, and its templates come from the business account. The secrets are encrypted and never returned. The verify token is returned only in this response.',
  scope: 'whatsapp:manage',
  body: NumberForm,
  status: 201,
  reply: BusinessNumber.extend({ verify_token: secret(z.string()).describe('Returned only in this response') }),
  problems: [numberConnected, numberTaken, notConfigured, 'upstream_error', noAnswerInTime],
  example: {
    body: {
      phone_number_id: '106540352242922',
      business_account_id: '102290129340398',
      access_token: 'EAAJBexample',
      app_secret: '614fc2afde15eee07a26b2fe3eaee9b9',
    },
  },
  async handle({ body, org, db, origin, services }) {
    const { number, verifyToken } = await connectNumber({ db, services }, org.id, body)
    const subscribed = await subscribeWebhooks({ db, services }, number, webhookUrl(origin, number.id))
    return { ...present({ ...number, subscribed }, origin), verify_token: verifyToken }
  },
})

export const list = listRoute({
  path: '/numbers',
  summary: 'List your numbers',
  description: 'Returns the business numbers that you have connected, without their access tokens.',
  scope: 'whatsapp:read',
  testKeys: 'shared',
  item: BusinessNumber,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present: (row, { origin }) => present(row, origin),
})

export const read = route({
  method: 'GET',
  path: '/numbers/{id}',
  summary: 'Read a number',
  description: 'Returns the number with its webhook URL. Access tokens are not returned.',
  scope: 'whatsapp:read',
  testKeys: 'shared',
  params,
  status: 200,
  reply: BusinessNumber,
  problems: ['not_found'],
  handle: async ({ params, org, db, origin }) =>
    present(await mustFind(rows.find(db, org.id, params.id), 'number'), origin),
})

export const rotate = route({
  method: 'POST',
  path: '/numbers/{id}/rotate',
  summary: 'Update the secrets of a number',
  description: 'Meta checks the new secrets before they take effect. The next message uses them.',
  scope: 'whatsapp:manage',
  params,
  body: RotateNumberBody,
  status: 200,
  reply: BusinessNumber,
  problems: ['not_found', notConfigured, 'upstream_error', noAnswerInTime],
  async handle({ params, body, org, db, origin, services }) {
    const number = await mustFind(rows.find(db, org.id, params.id), 'number')
    await checkRotation({ db, services }, number, body)
    const rotated = await mustFind(
      rows.rotate(db, org.id, number.id, sealGivenSecrets(services, number.id, body)),
      'number',
    )
    const subscribed =
      body.verify_token === undefined
        ? rotated.subscribed
        : await subscribeWebhooks({ db, services }, rotated, webhookUrl(origin, rotated.id))
    return present({ ...rotated, subscribed }, origin)
  },
})

export const remove = removeRoute({
  path: '/numbers/{id}',
  summary: 'Remove a number',
  description:
    'Deletes the secrets of the number. Pending messages fail with `number_removed`. Later messages use the platform’s number.',
  scope: 'whatsapp:manage',
  params,
  what: 'number',
  remove: async ({ params, org, db }) => {
    const removed = await mustFind(rows.remove(db, org.id, params.id), 'number')
    await emitNumber(db, 'removed', removed)
  },
})
