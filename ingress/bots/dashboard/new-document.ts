import { z } from 'zod'
import * as bots from '#sql/bots/bots.ts'
import { formPage, type PageCall } from '../../http/dashboard/page.ts'
import { type FormState, linesField, selectField, textField } from '../../http/html/form.ts'
import { type Content, html } from '../../http/html/html.ts'
import type { View } from '../../http/html/layout.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { create as createDocument } from '../documents.ts'
import { create as createSource } from '../sources.ts'
import { intervals } from './document.ts'
import { ofBot, pathOf, section } from './section.ts'

/** Maximum size of the form in bytes. A text can have 40,000 characters, and a form encodes a character in up to 12. */
const formBytes = 512 * 1024

interface FormCall extends Pick<PageCall<z.output<typeof ofBot>, unknown>, 'db' | 'member' | 'params'> {
  filled: FormState
  fault: string | undefined
}

async function formView({ db, member, params, fault }: FormCall, title: string, inputs: Content): Promise<View> {
  const bot = await mustFind(bots.find(db, member.orgId, params.bot_id), 'bot')
  const back = `${pathOf(bot.id)}/documents`
  const main = html`${parentLink(`Documents of ${bot.name}`, back)}<h1>${title}</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}${inputs}
<p class="actions"><button>Add document</button> <a class="button plain" href="${back}">Cancel</a></p></form>`
  return { title, main }
}

const text = z.string().default('')

export const { show: askForText, submit: addText } = formPage({
  path: '/bots/{bot_id}/documents/text',
  summary: 'Add a text to a bot',
  section,
  permission: 'areas:write',
  params: ofBot,
  formBytes,
  fields: z.object({ title: text, text, url: text }),
  view: (call) =>
    formView(
      call,
      'Paste text',
      html`${textField(call.filled, { name: 'title', label: 'Title', required: true, hint: 'For example, Returns. Answers name it as their source.' })}
${linesField(call.filled, { name: 'text', label: 'Text', required: true, prose: true, rows: 14, hint: 'Up to 40,000 characters. For longer texts, upload a file.' })}
${textField(call.filled, { name: 'url', label: 'URL', type: 'url', hint: 'Optional. Page on which visitors can read the text.' })}`,
    ),
  async submit({ ask, params: { bot_id: botId }, given: { title, text, url } }) {
    const body = { title, text, ...(url.trim() !== '' && { url: url.trim() }) }
    await ask(createDocument, { params: { botId }, body }, z.object({}))
    return { to: `${pathOf(botId)}/documents`, told: 'Document added.' }
  },
})

export const { show: askForUrl, submit: addUrl } = formPage({
  path: '/bots/{bot_id}/documents/url',
  summary: 'Add a URL to a bot',
  section,
  permission: 'areas:write',
  params: ofBot,
  fields: z.object({ url: text, title: text, refresh_hours: text }),
  view: (call) =>
    formView(
      call,
      'Add URL',
      html`${textField(call.filled, { name: 'url', label: 'URL', type: 'url', required: true, hint: 'A public web page, PDF, DOCX or text file.' })}
${textField(call.filled, { name: 'title', label: 'Title', hint: 'Optional. Default: the title of the page.' })}
${selectField(call.filled, { name: 'refresh_hours', label: 'Refresh', options: intervals })}`,
    ),
  async submit({ ask, params: { bot_id: botId }, given: { url, title, refresh_hours: hours } }) {
    const refresh = hours.trim() === '' ? {} : { refresh_hours: Number(hours) }
    const body = { url: url.trim(), ...(title.trim() !== '' && { title }), ...refresh }
    await ask(createSource, { params: { botId }, body }, z.object({}))
    return { to: `${pathOf(botId)}/documents`, told: 'URL added. Millrace is reading it.' }
  },
})
