import { z } from 'zod'
import type * as rows from '#sql/whatsapp/templates.ts'
import { listTemplateVariables } from './template-variables.ts'

export const Template = z
  .object({
    id: z.string().describe('Template ID at WhatsApp'),
    name: z.string(),
    language: z.string(),
    status: z.string().describe('`APPROVED`, `PENDING`, `REJECTED`, `PAUSED`, `DISABLED`'),
    category: z.string().describe('`MARKETING`, `UTILITY`, `AUTHENTICATION`'),
    parameter_format: z.string().describe('`POSITIONAL` or `NAMED`'),
    components: z.array(z.looseObject({ type: z.string() })).describe('Components in WhatsApp’s format'),
    reason: z.string().nullable().describe('Reason for the rejection'),
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
      .describe('Variables of the template'),
  })
  .meta({ id: 'whatsapp.Template' })

export const presentTemplate = (template: rows.Template): z.input<typeof Template> => ({
  ...template,
  id: template.provider_id,
  variables: listTemplateVariables(template),
})
