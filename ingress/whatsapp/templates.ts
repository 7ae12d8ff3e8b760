import { z } from 'zod'
import * as rows from '#sql/whatsapp/templates.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { noAnswerInTime } from '../http/problem-kinds.ts'
import { notConfigured, settings } from './settings.ts'
import { templateCopy } from './template-copy.ts'
import { variablesOf } from './template-variables.ts'

const Template = z
  .object({
    id: z.string().describe('At WhatsApp'),
    name: z.string(),
    language: z.string(),
    status: z.string().describe('`APPROVED`, `PENDING`, `REJECTED`, `PAUSED`, `DISABLED`'),
    category: z.string().describe('`MARKETING`, `UTILITY`, `AUTHENTICATION`'),
    parameter_format: z.string().describe('`POSITIONAL` or `NAMED`'),
    components: z.array(z.looseObject({ type: z.string() })).describe('As WhatsApp has them'),
    variables: z
      .array(
        z.object({
          component: z.enum(['header', 'body', 'button']),
          index: z.int().nullable(),
          name: z.string().nullable(),
          type: z.string(),
          example: z.string().nullable(),
        }),
      )
      .describe('What the template leaves open'),
  })
  .meta({ id: 'whatsapp.Template' })

const word = z.string().max(512)

/** Templates of the business account. */
export const list = listRoute({
  path: '/templates',
  summary: 'List approved templates',
  description: 'As they were within the last five minutes; while WhatsApp is away, as they were last.',
  scope: 'whatsapp:read',
  filter: {
    status: word
      .transform((status) => status.toUpperCase())
      .default('APPROVED')
      .describe('`ALL` for those of every status'),
    category: word.transform((category) => category.toUpperCase()).optional(),
    language: word.optional(),
    name: word.optional(),
  },
  item: Template,
  problems: [notConfigured, 'upstream_error', noAnswerInTime],
  async rows({ query: { status, category, language, name }, key, db, services }, page) {
    const { accountId } = services(settings)
    if (accountId === undefined) throw notConfigured(notConfigured.when)
    // A test key asks nobody: it sees the copy as it is.
    if (key.mode !== 'test') await services(templateCopy).renew(accountId)
    const asked = { status: status === 'ALL' ? undefined : status, category, language, name }
    return await rows.list(db, accountId, { ...page, ...asked })
  },
  present: (template) => ({ ...template, id: template.provider_id, variables: variablesOf(template) }),
})
