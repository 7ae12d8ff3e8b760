import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import * as rows from '#sql/verify/settings.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { checkBoxes, type FormState, splitCommaWords, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { update } from '../settings.ts'
import { section } from './verifications.ts'

/** Numbers of the form: field of the API, label and hint. */
const numbers = [
  ['code_length', 'Digits', '4 to 10. Default: 6.'],
  ['ttl', 'Validity in seconds', '60 to 86,400. Default: 600.'],
  ['max_attempts', 'Codes to check', '1 to 10 per verification. Default: 5.'],
  ['max_sends', 'Codes to send', '1 to 10 per verification. Default: 4.'],
  ['resend_after', 'Seconds between two codes', '5 to 3,600. Default: 30.'],
  ['country_budget', 'Codes per country and day', 'Default: 1,000.'],
  ['per_recipient', 'Codes per recipient and hour', 'Default: 5.'],
  ['per_network', 'Codes per network and hour', 'Default: 30.'],
  ['per_hour', 'Codes per hour', 'Default: 1,000.'],
  ['prefix_starts', 'Starts before a range is blocked', 'Per hour. Default: 20.'],
  ['prefix_conversion', 'Least approved percentage of a range', '0 turns blocking off. Default: 10.'],
  ['prefix_block_hours', 'Hours of a block', 'Default: 24.'],
] as const

const text = z.string().trim().default('')
const whole = z.coerce.number()

export const { show, submit } = formPage({
  path: '/verify/settings',
  summary: 'Change the settings for verification codes',
  section,
  permission: 'areas:write',
  fields: z.object({
    ...{ brand: text, from_email: text, sms_sender: text, template: text, language: text, countries: text },
    ...{ country_budgets: text, guard_required: z.literal('yes').optional(), guard_action: text },
    ...{ code_length: whole, ttl: whole, max_attempts: whole, max_sends: whole, resend_after: whole },
    ...{ country_budget: whole, per_recipient: whole, per_network: whole, per_hour: whole },
    ...{ prefix_starts: whole, prefix_conversion: whole, prefix_block_hours: whole },
  }),
  async view({ db, member, filled, fault }) {
    const settings = await rows.find(db, member.orgId)
    const main = html`${parentLink('Verification codes', section.path)}<h1>Settings for verification codes</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${senderFields(filled, settings)}
${protectionFields(filled, settings)}
${numbers.map(([name, label, hint]) => textField(filled, { name, label, hint, type: 'number', required: true, otherwise: String(settings[name]) }))}
<button>Save settings</button></form>`
    return { title: 'Settings for verification codes', main }
  },
  async submit({ ask, given: { template, language, guard_required, ...given } }) {
    const whatsapp_template = template === '' ? null : { name: template, language: language === '' ? 'en' : language }
    const body = {
      ...given,
      brand: given.brand || null,
      from_email: given.from_email || null,
      sms_sender: given.sms_sender || null,
      whatsapp_template,
      countries: splitCommaWords(given.countries),
      country_budgets: readBudgets(given.country_budgets),
      guard_required: guard_required === 'yes',
    }
    await ask(update, { body }, z.unknown())
    return { to: `${section.path}/settings`, told: 'Settings saved.' }
  },
})

const senderFields = (filled: FormState, { brand, from_email, sms_sender, whatsapp_template }: rows.Settings): Html =>
  html`${textField(filled, { name: 'brand', label: 'Product name', otherwise: brand ?? '', hint: 'Optional. Name in the texts. For example, Shop.' })}
${textField(filled, { name: 'from_email', label: 'Sender of emails', type: 'email', otherwise: from_email ?? '', hint: 'Optional. An address on a verified domain. Default: verify@ your oldest verified domain.' })}
${textField(filled, { name: 'sms_sender', label: 'Sender of text messages', otherwise: sms_sender ?? '', hint: 'Optional. Default: the sender of the SMS provider.' })}
${textField(filled, { name: 'template', label: 'WhatsApp template', otherwise: whatsapp_template?.name ?? '', hint: 'An approved authentication template. For example, login_code.' })}
${textField(filled, { name: 'language', label: 'Language of the template', otherwise: whatsapp_template?.language ?? '', hint: 'For example, en_US. Default: en.' })}`

const protectionFields = (filled: FormState, settings: rows.Settings): Html => {
  const budgets = Object.entries(settings.country_budgets).map(([country, most]) => `${country}=${most}`)
  return html`${textField(filled, { name: 'countries', label: 'Countries', otherwise: settings.countries.join(', '), hint: 'For example, EE, FI. Without countries, no SMS is sent and no call is placed.' })}
${textField(filled, { name: 'country_budgets', label: 'Codes per day of single countries', otherwise: budgets.join(', '), hint: 'Optional. For example, EE=5000, FI=200.' })}
${checkBoxes(filled, { name: 'guard_required', label: 'Guard', otherwise: settings.guard_required ? ['yes'] : [], options: [['yes', 'Require a Guard token for each verification']] })}
${textField(filled, { name: 'guard_action', label: 'Action of the Guard form', required: true, otherwise: settings.guard_action })}`
}

function readBudgets(text: string): Record<string, number> {
  const pairs = splitCommaWords(text).map((word) => {
    const [, country, most] = /^([A-Z]{2}) ?= ?(\d{1,7})$/.exec(word) ?? []
    if (country === undefined)
      throw badRequest([{ field: 'body.country_budgets', issue: 'must be pairs such as EE=5000, separated by commas' }])
    return [country, Number(most)] as const
  })
  return Object.fromEntries(pairs)
}
