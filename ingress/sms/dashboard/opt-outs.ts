import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { everything } from '#sql/filters.ts'
import * as rows from '#sql/sms/opt-outs.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { optionalField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create, remove } from '../opt-outs.ts'
import { optOutsPath, section } from './section.ts'

export const list = page({
  path: '/sms/opt-outs',
  summary: 'List SMS opt-outs',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const write = may('areas:write')
    const found = await rows.list(db, member.orgId, { where: everything, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const add = write && linkButton(`${optOutsPath}/new`, 'Add an opt-out')
    const main = html`${parentLink('SMS', section.path)}<div class="title"><h1>Opt-outs</h1>${add}</div>
${shown.length === 0 ? emptyState('No opt-outs.', 'People who send STOP appear here. Messages to them are rejected.') : optOutTable(member, shown, write)}${older(optOutsPath)}`
    return { title: 'Opt-outs', main }
  },
})

const sources = { keyword: 'sent a keyword', api: 'added by you', provider: 'reported by the provider' } as const

const optOutTable = (member: Member, shown: readonly rows.OptOut[], write: boolean): Html =>
  dataTable('Opt-outs', shown, {
    Person: (one) => (rows.isErased(one) ? quiet('erased person') : one.phone),
    Sender: (one) => one.sender || quiet('all senders'),
    Source: ['break', (one) => html`${sources[one.source]}${one.keyword && html` <code>${one.keyword}</code>`}`],
    Added: (one) => ago(one.created_at),
    Actions: write && [
      'actions',
      (one) =>
        actionButton(member, `${optOutsPath}/remove`, 'Remove', {
          of: rows.isErased(one) ? 'erased person' : one.phone,
          grave: true,
          fields: { id: one.id },
        }),
    ],
  })

export const { show: ask, submit: add } = formPage({
  path: '/sms/opt-outs/new',
  summary: 'Add an SMS opt-out',
  section,
  permission: 'areas:write',
  fields: z.object({ phone: z.string().default(''), from: optionalField(z.string()) }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Opt-outs', optOutsPath)}<h1>Add an opt-out</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'phone', label: 'Phone number', required: true, hint: 'For example, +3725550101.' })}
${textField(filled, { name: 'from', label: 'Sender', hint: 'Optional. Leave blank for all senders.' })}
<p class="actions"><button>Add</button> <a class="button plain" href="${optOutsPath}">Cancel</a></p></form>`
    return { title: 'Add an opt-out', main }
  },
  async submit({ ask: call, given: { phone, from } }) {
    await call(create, { body: { phone: phone.trim(), from } }, z.unknown())
    return { to: optOutsPath, told: 'Opt-out added.' }
  },
})

export const removeOptOut = action({
  path: '/sms/opt-outs/remove',
  summary: 'Remove an SMS opt-out',
  permission: 'areas:write',
  fields: z.object({ id: Id }),
  back: () => optOutsPath,
  async perform({ ask: call, given: { id } }) {
    await call(remove, { params: { id } }, z.unknown())
    return { to: optOutsPath, told: 'Opt-out removed.' }
  },
})
