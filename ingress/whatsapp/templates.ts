import { z } from 'zod'
import { badRequest, notFound } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import * as rows from '#sql/whatsapp/templates.ts'
import { createTemplate } from '#tasks/whatsapp/create-template.ts'
import { deleteTemplate } from '#tasks/whatsapp/delete-template.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { noAnswerInTime, problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { questions } from '../http/services.ts'
import { NewTemplate } from './new-template.ts'
import { numberRefused, templateProblems, toSendProblem } from './refusals.ts'
import { notConfigured, settings } from './settings.ts'
import { templateCopy } from './template-copy.ts'
import { presentTemplate, Template } from './template-shape.ts'

const word = z.string().max(512)

export const list = listRoute({
  path: '/templates',
  summary: 'List approved templates',
  description: 'The list is up to five minutes old, or older if WhatsApp is unavailable.',
  scope: 'whatsapp:read',
  testKeys: 'shared',
  filters: rows.filters,
  query: {
    status: word
      .transform((status) => status.toUpperCase())
      .default('APPROVED')
      .describe('`ALL` for every status'),
    category: word.transform((category) => category.toUpperCase()).optional(),
    language: word.optional(),
    name: word.optional(),
  },
  item: Template,
  problems: [notConfigured, numberRefused, 'upstream_error', noAnswerInTime],
  async rows({ org, key, db, services }, page) {
    const number = (await numbers.findByOrgs(db, [org.id])).get(org.id)
    const accountId = number?.account_id ?? services(settings).accountId
    if (accountId === undefined) throw notConfigured(notConfigured.when)
    // A test key sends no requests to Meta, so it gets the current copy.
    if (key.mode !== 'test') await services(templateCopy).renew({ accountId, numberId: number?.id ?? null })
    return await rows.list(db, accountId, page)
  },
  present: presentTemplate,
})

/**
 * Templates of the platform's account belong to the operator. To have its own templates, an organisation needs its own
 * number.
 */
const noNumber = problem(409, 'no_number', 'Connect your own number first: POST /v1/whatsapp/numbers.')

const templateExists = problem(409, 'template_exists', 'A template with this name and language already exists.')

/** Accepts any string, because Meta creates the ID. An unknown ID returns 404. */
const params = z.object({ id: z.string().max(500) })

/** Timeout in milliseconds of Meta's response through a worker. */
const answerMs = 35_000

/** Values of `error_subcode` for a name that is or was recently in use in the language. */
const takenSubcodes = new Set([2_388_023, 2_388_024])

/** Returns the organisation's own number. Throws 409 if it has none. */
async function requireOwnNumber(db: Db, orgId: string): Promise<numbers.Facts> {
  const number = (await numbers.findByOrgs(db, [orgId])).get(orgId)
  if (!number) throw noNumber(noNumber.when)
  return number
}

export const create = route({
  method: 'POST',
  path: '/templates',
  summary: 'Submit a template for review',
  description:
    'Uses WhatsApp’s format, with an example of each variable. You can send the template when `status` is `APPROVED`. The `whatsapp.template.changed` event reports the change.',
  scope: 'whatsapp:manage',
  body: NewTemplate,
  status: 201,
  reply: Template,
  problems: [
    noNumber,
    numberRefused,
    templateExists,
    ...templateProblems,
    notConfigured,
    'upstream_error',
    noAnswerInTime,
  ],
  example: {
    body: {
      name: 'order_ready',
      language: 'en',
      category: 'UTILITY',
      components: [
        { type: 'BODY', text: 'Your order {{1}} is ready.', example: { body_text: [['1042']] } },
        { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Thank you' }] },
      ],
    },
  },
  async handle({ body, org, db, services }) {
    const { id: numberId, account_id: accountId } = await requireOwnNumber(db, org.id)
    if (await rows.find(db, accountId, body.name, body.language)) throw templateExists(templateExists.when)
    const about = { orgId: org.id, subject: numberId, timeout: answerMs }
    const answer = await services(questions).ask(createTemplate, { numberId, accountId, template: body }, about)
    if (answer.failure) {
      if (takenSubcodes.has(answer.failure.subcode ?? 0)) throw templateExists(templateExists.when)
      throw answer.failure.code === 'invalid_message' ? refusedForm() : toSendProblem(answer.failure)
    }
    return presentTemplate(await mustFind(rows.findByProviderId(db, accountId, answer.providerId ?? ''), 'template'))
  },
})

const refusedForm = () => badRequest([{ field: 'body.components', issue: 'is not accepted by WhatsApp' }])

export const read = route({
  method: 'GET',
  path: '/templates/{id}',
  summary: 'Read a template and its review',
  description: 'Returns the template with the status of its review and the reason for a rejection.',
  scope: 'whatsapp:read',
  testKeys: 'shared',
  params,
  status: 200,
  reply: Template,
  problems: ['not_found'],
  async handle({ params, org, db, services }) {
    const number = (await numbers.findByOrgs(db, [org.id])).get(org.id)
    const accountId = number?.account_id ?? services(settings).accountId
    if (accountId === undefined) throw notFound('template')
    return presentTemplate(await mustFind(rows.findByProviderId(db, accountId, params.id), 'template'))
  },
})

export const remove = route({
  method: 'DELETE',
  path: '/templates/{id}',
  summary: 'Delete a template',
  description:
    'Deletes the template in this language only. WhatsApp reserves the name of an approved template for 30 days.',
  scope: 'whatsapp:manage',
  params,
  status: 200,
  reply: z.object({ id: z.string(), deleted: z.literal(true) }),
  problems: ['not_found', numberRefused, notConfigured, 'upstream_error', noAnswerInTime],
  async handle({ params, org, db, services }) {
    const number = (await numbers.findByOrgs(db, [org.id])).get(org.id)
    if (!number) throw notFound('template')
    const { id: numberId, account_id: accountId } = number
    const { provider_id: providerId, name } = await mustFind(
      rows.findByProviderId(db, accountId, params.id),
      'template',
    )
    const about = { orgId: org.id, subject: numberId, timeout: answerMs }
    const asked = { numberId, accountId, providerId, name }
    const { failure } = await services(questions).ask(deleteTemplate, asked, about)
    if (failure) throw toSendProblem(failure)
    return { id: providerId, deleted: true as const }
  },
})
