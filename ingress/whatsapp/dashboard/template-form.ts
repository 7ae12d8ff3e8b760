import { z } from 'zod'
import { type Fault, Problem } from '#lib/errors.ts'
import type { Template } from '#sql/whatsapp/templates.ts'
import { type FormState, type FormValues, linesField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'

const text = z.string().default('')

export const templateFields = z.object({
  name: text,
  language: text,
  category: text,
  header: text,
  header_example: text,
  components: text,
  examples: text,
  footer: text,
  replies: text,
  link_text: text,
  link_url: text,
  link_example: text,
  phone_text: text,
  phone_number: text,
  code_minutes: text,
})

const categories = [
  ['UTILITY', 'Utility: responds to a request from the person'],
  ['MARKETING', 'Marketing'],
  ['AUTHENTICATION', 'Authentication: a code. WhatsApp writes the text'],
] as const

export const renderTemplateFields = (filled: FormState): Html => html`
${textField(filled, { name: 'name', label: 'Name', required: true, hint: 'a–z, 0–9 and _. For example, order_ready.' })}
${textField(filled, { name: 'language', label: 'Language', required: true, otherwise: 'en', hint: 'For example, en or en_US.' })}
${selectField(filled, { name: 'category', label: 'Category', options: categories })}
${textField(filled, { name: 'header', label: 'Header', hint: 'Optional. Up to 60 characters, with at most one variable.' })}
${linesField(filled, { name: 'components', label: 'Text', prose: true, hint: 'Variables are {{1}}, {{2}} and so on. A variable cannot be the first or last word. *bold*, _italic_ and ~struck~ are possible.' })}
${linesField(filled, { name: 'examples', label: 'Example for each variable', few: true, prose: true, hint: 'One per line, in order.' })}
${textField(filled, { name: 'footer', label: 'Footer', hint: 'Optional. Up to 60 characters.' })}
${linesField(filled, { name: 'replies', label: 'Reply buttons', few: true, prose: true, hint: 'Optional. One per line, up to 25 characters.' })}
<details class="field"${hasMore(filled) && html` open`}><summary>More parts</summary>
${textField(filled, { name: 'header_example', label: 'Example for the variable of the header' })}
${textField(filled, { name: 'link_text', label: 'Text of a button that opens a web page' })}
${textField(filled, { name: 'link_url', label: 'URL of the web page', hint: 'For example, https://shop.example.com/orders/{{1}}. A variable can only be at the end.' })}
${textField(filled, { name: 'link_example', label: 'Example for the variable of the URL' })}
${textField(filled, { name: 'phone_text', label: 'Text of a button that calls a number' })}
${textField(filled, { name: 'phone_number', label: 'Phone number of that button', hint: 'For example, +3725550100.' })}
${textField(filled, { name: 'code_minutes', label: 'Minutes until a code expires', type: 'number', hint: 'Only for authentication. 1 to 90.' })}
</details>`

const more = ['header_example', 'link_text', 'link_url', 'link_example', 'phone_text', 'phone_number', 'code_minutes']

const hasMore = ({ given, faults }: FormState): boolean =>
  more.some((name) => faults[name] !== undefined || String(given[name] ?? '') !== '')

const linesOf = (lines: string): string[] => lines.split('\n').flatMap((line) => line.trim() || [])

type Component = Template['components'][number]

interface Part {
  component: Component
  /** Fields of the form for the component and, in order, for its buttons. */
  field: string
  buttons?: readonly string[]
}

/** Returns the components of the template in a form, with the fields that they come from. */
export function toParts(given: FormValues): Part[] {
  const read = (name: string) =>
    String([given[name] ?? ''].flat()[0] ?? '')
      .replaceAll('\r\n', '\n')
      .trim()
  if (read('category') === 'AUTHENTICATION') return codeParts(read('code_minutes'))
  const [header, footer, examples] = [read('header'), read('footer'), linesOf(read('examples'))]
  const headerExample = read('header_example') !== '' && { example: { header_text: [read('header_example')] } }
  const bodyExample = examples.length > 0 && { example: { body_text: [examples] } }
  const buttons = buttonsOf(read)
  return [
    ...(header === ''
      ? []
      : [{ component: { type: 'HEADER', format: 'TEXT', text: header, ...headerExample }, field: 'header' }]),
    { component: { type: 'BODY', text: read('components'), ...bodyExample }, field: 'components' },
    ...(footer === '' ? [] : [{ component: { type: 'FOOTER', text: footer }, field: 'footer' }]),
    ...(buttons.length === 0
      ? []
      : [
          {
            component: { type: 'BUTTONS', buttons: buttons.map(({ button }) => button) },
            field: 'replies',
            buttons: buttons.map(({ field }) => field),
          },
        ]),
  ]
}

function buttonsOf(read: (name: string) => string): { button: object; field: string }[] {
  const example = read('link_example')
  const link = { type: 'URL', text: read('link_text'), url: read('link_url'), ...(example && { example: [example] }) }
  const phone = { type: 'PHONE_NUMBER', text: read('phone_text'), phone_number: read('phone_number') }
  return [
    ...linesOf(read('replies')).map((reply) => ({ button: { type: 'QUICK_REPLY', text: reply }, field: 'replies' })),
    ...(link.text === '' && link.url === '' ? [] : [{ button: link, field: 'link_url' }]),
    ...(phone.text === '' && phone.phone_number === '' ? [] : [{ button: phone, field: 'phone_number' }]),
  ]
}

const codeParts = (minutes: string): Part[] => [
  { component: { type: 'BODY', add_security_recommendation: true }, field: 'components' },
  ...(minutes === ''
    ? []
    : [{ component: { type: 'FOOTER', code_expiration_minutes: Number(minutes) }, field: 'code_minutes' }]),
  { component: { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] }, field: 'category' },
]

/** Moves the faults of the API to the fields of the form. */
export async function atFields<T>(work: Promise<T>, parts: readonly Part[]): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Problem) || !Array.isArray(error.details)) throw error
    const details = (error.details as Fault[]).map((fault) => {
      const [, list, i, inside, button, name] = fault.field.split('.')
      const part = list === 'components' ? parts[Number(i)] : undefined
      if (!part) return fault
      const isExample = fault.field.includes('.example')
      const field = (inside === 'buttons' && part.buttons?.[Number(button)]) || part.field
      return { ...fault, field: `form.${fieldOf(field, name, isExample)}` }
    })
    throw new Problem(error.status, error.code, error.message, { details })
  }
}

function fieldOf(field: string, name: string | undefined, isExample: boolean): string {
  if (field === 'link_url' && name === 'text') return 'link_text'
  if (field === 'phone_number' && name === 'text') return 'phone_text'
  if (!isExample) return field
  return { components: 'examples', header: 'header_example', link_url: 'link_example' }[field] ?? field
}

/** Returns the values of the form for a copy of a template. */
export function valuesOf({ name, language, category, components }: Template): FormValues {
  const find = (type: string) => components.find((one) => one.type.toUpperCase() === type)
  const [header, body, footer] = [find('HEADER'), find('BODY'), find('FOOTER')]
  const buttons = (find('BUTTONS')?.buttons ?? []) as Record<string, unknown>[]
  const ofType = (type: string) => buttons.filter((one) => one.type === type)
  const [link, phone] = [ofType('URL')[0], ofType('PHONE_NUMBER')[0]]
  const example = (body?.example as { body_text?: string[][] } | undefined)?.body_text?.[0] ?? []
  const values = {
    name: `${name.slice(0, 500)}_2`,
    language,
    category,
    header: header?.text,
    header_example: (header?.example as { header_text?: string[] } | undefined)?.header_text?.[0],
    components: body?.text,
    examples: example.join('\n'),
    footer: footer?.text,
    replies: ofType('QUICK_REPLY')
      .map((one) => String(one.text))
      .join('\n'),
    link_text: link?.text,
    link_url: link?.url,
    link_example: Array.isArray(link?.example) ? link.example[0] : undefined,
    phone_text: phone?.text,
    phone_number: phone?.phone_number,
  }
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value ?? '')]))
}
