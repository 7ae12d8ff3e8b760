import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/bots/canned-replies.ts'
import { whereOf } from '#sql/filters.ts'
import { placeholders } from '#tasks/bots/rules/canned-placeholders.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { type FormState, linesField, optionalField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create, remove, update } from '../canned-replies.ts'
import { inboxPath } from './inbox.ts'
import { section } from './section.ts'

const repliesPath = `${inboxPath}/canned-replies`

const ofReply = z.object({ reply_id: pathId('canned reply') })

const fields = z.object({
  shortcut: z.string().default(''),
  title: z.string().default(''),
  text: z.string().default(''),
  language: z.string().default(''),
})

const toBody = ({ language, ...given }: z.output<typeof fields>) => ({ ...given, language: language.trim() || null })

const textHint = html`Placeholders: ${placeholders.map((name) => html`<code>{{${name}}}</code> `)}. <code>{{visitor.name | there}}</code> inserts “there” if the value is missing.`

const inputs = (filled: FormState, now?: rows.CannedReply): Html => html`
${textField(filled, { name: 'shortcut', label: 'Shortcut', required: true, otherwise: now?.shortcut ?? '', hint: 'a-z, 0-9, - and _. For example, refund. In the reply box, /refund finds the text.' })}
${textField(filled, { name: 'title', label: 'Title', required: true, otherwise: now?.title ?? '' })}
${linesField(filled, { name: 'text', label: 'Text', required: true, prose: true, few: true, otherwise: now?.text ?? '', hint: textHint })}
${textField(filled, { name: 'language', label: 'Language', otherwise: now?.language ?? '', hint: 'Optional. For example, de. Leave blank for every language.' })}`

export const listReplies = page({
  path: '/bots/inbox/canned-replies',
  summary: 'List canned replies',
  section,
  permission: 'areas:write',
  query: z.object({ shortcut: optionalField(z.string().max(40)), before: Id.optional() }),
  async view({ db, member, services, query: { shortcut, before } }) {
    const where = whereOf(rows.filters, { shortcut })
    const { shown, older } = cutPage(await rows.list(db, member.orgId, { where, before, limit: perPage + 1 }))
    const add = html`<a class="button primary" href="${repliesPath}/new">Create canned reply</a>`
    const none =
      shortcut === undefined
        ? emptyState('No canned replies yet. Texts that you insert into replies appear here.', undefined, add)
        : emptyState('No canned replies match this shortcut.')
    const table = dataTable('Canned replies', shown, {
      Shortcut: (one) => html`<a href="${repliesPath}/${one.id}">/${one.shortcut}</a>`,
      Title: ['break', (one) => one.title],
      Language: (one) => one.language ?? quiet('every'),
      Changed: (one) => ago(one.updated_at),
      Change: [
        'actions',
        (one) => actionButton(member, `${repliesPath}/${one.id}/delete`, 'Delete', { of: one.title, grave: true }),
      ],
    })
    const main = html`${parentLink('Inbox', inboxPath)}<div class="title"><h1>Canned replies</h1>${shown.length > 0 && add}</div>
<p class="lead">Texts that you insert into a reply with <code>/</code> and a shortcut.</p>
${filterForm([{ name: 'shortcut', label: 'Shortcut starts with', most: 40 }], { shortcut })}
${shown.length === 0 ? none : table}${older(repliesPath, { shortcut })}
${apiCall(services, 'bots.canned-replies.create', { body: { shortcut: 'refund', title: 'Refund sent', text: 'Your refund is on its way.' } })}`
    return { title: 'Canned replies', main }
  },
})

const form = (title: string, button: string, inner: Html, fault: string | undefined) => ({
  title,
  main: html`${parentLink('Canned replies', repliesPath)}<h1>${title}</h1>${renderFault(fault)}
<form class="form" method="post">${inner}
<p class="actions"><button class="primary">${button}</button> <a class="button plain" href="${repliesPath}">Cancel</a></p></form>`,
})

export const { show: askForReply, submit: addReply } = formPage({
  path: '/bots/inbox/canned-replies/new',
  summary: 'Create a canned reply',
  section,
  permission: 'areas:write',
  fields,
  view: async ({ member, filled, fault }) =>
    form('Create a canned reply', 'Create canned reply', html`${tokenField(member)}${inputs(filled)}`, fault),
  async submit({ ask, given }) {
    await ask(create, { body: toBody(given) }, z.object({}))
    return { to: repliesPath, told: 'Canned reply created.' }
  },
})

export const { show: showReply, submit: changeReply } = formPage({
  path: '/bots/inbox/canned-replies/{reply_id}',
  summary: 'Edit a canned reply',
  section,
  permission: 'areas:write',
  params: ofReply,
  fields,
  async view({ db, member, params: { reply_id }, filled, fault }) {
    const now = await mustFind(rows.find(db, member.orgId, reply_id), 'canned reply')
    return form('Edit canned reply', 'Save canned reply', html`${tokenField(member)}${inputs(filled, now)}`, fault)
  },
  async submit({ ask, params: { reply_id: replyId }, given }) {
    await ask(update, { params: { replyId }, body: toBody(given) }, z.object({}))
    return { to: repliesPath, told: 'Canned reply saved.' }
  },
})

export const deleteReply = action({
  path: '/bots/inbox/canned-replies/{reply_id}/delete',
  summary: 'Delete a canned reply',
  permission: 'areas:write',
  params: ofReply,
  back: () => repliesPath,
  async perform({ ask, params: { reply_id: replyId } }) {
    await ask(remove, { params: { replyId } }, z.object({}))
    return { to: repliesPath, told: 'Canned reply deleted.' }
  },
})
