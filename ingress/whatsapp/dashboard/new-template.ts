import { z } from 'zod'
import { formPage } from '../../http/dashboard/page.ts'
import { linesField, selectField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create } from '../templates.ts'
import { section } from './conversations.ts'

const categories = [
  ['UTILITY', 'Utility: responds to a request from the person'],
  ['MARKETING', 'Marketing'],
] as const

export const { show: askForTemplate, submit: handIn } = formPage({
  path: '/whatsapp/templates/new',
  summary: 'Submit a template for review',
  section,
  permission: 'areas:write',
  fields: z.object({
    name: z.string(),
    language: z.string(),
    category: z.string(),
    components: z.string(),
    examples: z.string(),
    footer: z.string(),
    replies: z.string(),
  }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Your number', '/app/whatsapp/number')}<h1>Submit a template</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, hint: 'a–z, 0–9 and _. For example, order_ready.' })}
${textField(filled, { name: 'language', label: 'Language', required: true, otherwise: 'en', hint: 'For example, en or en_US.' })}
${selectField(filled, { name: 'category', label: 'Category', options: categories })}
${linesField(filled, { name: 'components', label: 'Text', prose: true, hint: 'Variables are {{1}}, {{2}} and so on. A variable cannot be the first or last word.' })}
${linesField(filled, { name: 'examples', label: 'Example for each variable', few: true, prose: true, hint: 'One per line, in order.' })}
${textField(filled, { name: 'footer', label: 'Footer' })}
${linesField(filled, { name: 'replies', label: 'Reply buttons', few: true, prose: true, hint: 'One per line, up to 25 characters.' })}
<button>Submit template</button></form>`
    return { title: 'Submit a template', main }
  },
  async submit({ ask, given }) {
    const examples = linesOf(given.examples)
    const replies = linesOf(given.replies)
    const footer = given.footer.trim()
    const body = {
      name: given.name.trim(),
      language: given.language.trim(),
      category: given.category,
      components: [
        {
          type: 'BODY',
          text: given.components.trim(),
          ...(examples.length > 0 && { example: { body_text: [examples] } }),
        },
        ...(footer === '' ? [] : [{ type: 'FOOTER', text: footer }]),
        ...(replies.length === 0
          ? []
          : [{ type: 'BUTTONS', buttons: replies.map((text) => ({ type: 'QUICK_REPLY', text })) }]),
      ],
    }
    const { status } = await ask(create, { body }, z.object({ status: z.string() }))
    return { to: '/app/whatsapp/number', told: `Template submitted: ${status.toLowerCase()}.` }
  },
})

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
