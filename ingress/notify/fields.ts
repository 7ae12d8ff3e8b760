import { z } from 'zod'
import { trimmedLine } from '#lib/characters.ts'
import { isTimeZone } from '#lib/time-zone.ts'
import { anyType } from '#sql/notify/preferences.ts'
import { aliasForm, isTemplateId } from '#tasks/email/rules/templates/names.ts'

const name = z
  .string()
  .min(1, { abort: true })
  .max(200)
  .regex(trimmedLine, 'must be one line without leading or trailing spaces')

export const ProductKey = name.describe('Product that owns the event')

export const EventType = name
  .refine((type) => type !== anyType, {
    error: `must be a type. ${anyType} is only for preferences and means all types.`,
  })
  .describe('Event type of the product, such as `order.shipped`')

export const PreferenceType = name.describe(`Event type, or \`${anyType}\` for all types without their own preference`)

// biome-ignore lint/suspicious/noControlCharactersInRegex: what no mail may carry (RFC 5322 §3.5).
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** Title in one line, because it is also the subject of an email. */
export const Title = z
  .string()
  .min(1)
  .max(300)
  .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), { error: 'must be one line without control characters' })

export const Body = z
  .string()
  .min(1)
  .max(10_000)
  .refine((text) => !control.test(text), {
    error: 'must not contain control characters other than tabs and line breaks',
  })

export const Link = z.url({ protocol: /^https?$/, error: 'must be a URL, such as https://example.com' }).max(2_000)

export const WorkflowKey = z
  .string()
  .max(64)
  .regex(/^[a-z0-9][a-z0-9-]*$/, 'must contain only a–z, 0–9 and -, and must not start with -')
  .describe('Key of a workflow, such as `order-shipped`')

export const TopicKey = z
  .string()
  .max(64)
  .regex(/^[a-z0-9][a-z0-9-]*$/, 'must contain only a–z, 0–9 and -, and must not start with -')
  .describe('Key of a topic, such as `release-notes`')

export const DedupeKey = z.string().min(1).max(255)

/** ID or alias of a template of the email area. */
export const TemplateName = z.string().refine((given) => isTemplateId(given) || aliasForm.test(given), {
  error: 'must be the ID or the alias of a template of the email area',
})

export const PersonName = name

/** Language tag (RFC 5646). The output has the form that the runtime uses: `de-AT`. */
export const Locale = z
  .string()
  .max(35)
  .refine((tag) => canonical(tag) !== undefined, { error: 'must be a language tag, such as de or de-AT', abort: true })
  .overwrite((tag) => canonical(tag) ?? tag)

function canonical(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0]
  } catch {
    return undefined
  }
}

export const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, { error: 'must be a time zone name, such as Europe/Vienna' })

export const Data = z
  .record(z.string().max(100), z.string().max(2_000))
  .refine((data) => Object.keys(data).length <= 50, { error: 'must have at most 50 fields' })
