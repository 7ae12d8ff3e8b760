import { z } from 'zod'
import { listPlaceholders } from '#lib/placeholders.ts'
import * as bots from '#sql/bots/bots.ts'
import * as versions from '#sql/bots/versions.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { type Html, html } from '../../http/html/html.ts'
import { renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { update } from '../bots.ts'
import { findTemplate } from '../catalogue.ts'
import { botView, engineNote } from './bot-frame.ts'
import {
  atFields,
  modelInputs,
  personaFields,
  promptInput,
  replyInputs,
  toPersona,
  valueInputs,
  valuesOf,
  withValues,
} from './persona-fields.ts'
import { ofBot, pathOf, section } from './section.ts'

export const { show: showInstructions, submit: changeInstructions } = formPage({
  path: '/bots/{bot_id}/instructions',
  summary: 'Edit the instructions of a bot',
  section,
  permission: 'areas:write',
  params: ofBot,
  query: z.object({ own: z.literal('yes').optional() }),
  fields: withValues(personaFields),
  async view({ db, member, may, services, params: { bot_id }, query: { own }, filled, fault }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const now = await versions.find(db, bot.id, bot.version)
    const isOwn = now.template_key === null || own === 'yes'
    const path = `${pathOf(bot.id)}/instructions`
    const content = html`${engineNote()}${renderFault(fault)}
<form class="form" method="post" action="${path}${isOwn && now.template_key !== null && '?own=yes'}">${tokenField(member)}
${isOwn ? promptInput(filled, now.system_prompt) : templatePart(now, path)}
${valueInputs(filled, now.variables, now.variable_values)}
${replyInputs(filled, now)}
<details${(filled.faults.temperature || filled.faults.max_tokens) && html` open`}><summary>Model settings</summary>${modelInputs(filled, now)}</details>
<button>Save instructions</button>
<p class="hint">Version ${bot.version}. Each change creates a new version for new conversations. Conversations in progress keep their version.</p></form>
${apiCall(services, 'bots.bots.update', { path: { slug: bot.id }, body: { greeting: now.greeting ?? 'Hello!', fallback: now.fallback } })}`
    return botView(bot, 'Instructions', may, content)
  },
  async submit({ db, member, ask, params: { bot_id }, query: { own }, given }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const now = await versions.find(db, bot.id, bot.version)
    const isOwn = now.template_key === null || own === 'yes'
    const prompt = isOwn ? given.system_prompt : now.system_prompt
    const values = valuesOf(given, listPlaceholders(prompt, given.greeting))
    const body = { ...toPersona(given), ...(isOwn && { system_prompt: prompt }), variables: values }
    await atFields(ask(update, { params: { slug: bot.id }, body }, z.object({})))
    return { to: `${pathOf(bot.id)}/instructions`, told: 'Instructions saved.' }
  },
})

function templatePart({ template_key, template_version, system_prompt }: versions.Version, path: string): Html {
  const name = (template_key && findTemplate(template_key)?.name) ?? template_key
  return html`<div class="field"><p><strong>Template: ${name}</strong>, version ${template_version}</p>
<blockquote class="prompt" tabindex="0">${system_prompt}</blockquote>
<p class="hint"><a href="${path}?own=yes">Write your own instructions</a>. They start with the text of the template.</p></div>`
}
