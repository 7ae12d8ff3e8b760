import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as forms from '#sql/email/forms.ts'
import { allMail } from '#sql/email/reach.ts'
import * as signUps from '#sql/email/sign-ups.ts'
import { everything } from '#sql/filters.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { copyableCode } from '../../http/html/copyable-code.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { copyable, emptyState, linkButton, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { formUrl } from '../sign-ups/url.ts'

export const section = {
  title: 'Sign-up forms',
  path: '/app/email-forms',
  group: 'Email',
  guide: 'email',
  permission: 'log:read',
} as const satisfies DashboardSection

const stateOf = ({ active }: forms.Form): Html => statusBadge(active ? 'active' : 'closed')

export const overview = page({
  path: '/email-forms',
  summary: 'List sign-up forms',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await forms.list(db, member.orgId, { before, limit: perPage + 1, reach: allMail }, false)
    const { shown, older } = cutPage(found)
    const main = html`<div class="title"><h1>Sign-up forms</h1>${may('areas:write') && html`<a class="button primary" href="/app/email-forms/new">Create form</a>`}</div>
${shown.length === 0 ? emptyState('No sign-up forms yet.', 'People subscribe with a form and confirm by email.', may('areas:write') && linkButton('/app/email-forms/new', 'Create form')) : formTable(shown)}
${older(section.path)}`
    return { title: 'Sign-up forms', main }
  },
})

const formTable = (shown: readonly forms.Form[]): Html =>
  dataTable('Sign-up forms', shown, {
    Name: (one) => html`<a href="/app/email-forms/${one.id}">${one.name}</a>`,
    Status: (one) => stateOf(one),
    Topics: (one) => one.topics.join(', ') || '–',
    Created: (one) => ago(one.created_at),
  })

export const read = page({
  path: '/email-forms/{form_id}',
  summary: 'Show a sign-up form and its sign-ups',
  section,
  permission: 'log:read',
  params: z.object({ form_id: pathId('form') }),
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, params, query: { before } }) {
    const found = await mustFind(forms.find(db, member.orgId, params.form_id, false), 'form')
    const [all, counts] = await Promise.all([
      signUps.list(db, found.id, { where: everything, before, limit: perPage + 1 }),
      signUps.countStates(db, found.id),
    ])
    const { shown, older } = cutPage(all)
    const path = `/app/email-forms/${found.id}`
    const main = html`${parentLink('Sign-up forms', section.path)}<h1>${found.name}</h1>
<dl class="facts">${facts(found, counts).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${may('areas:write') && html`<p class="actions"><a class="button" href="${path}/edit">Edit</a> <a class="button" href="${path}/remove">Delete</a></p>`}
<section><h2>Embed</h2><p>Copy this form into your own page, or link to the hosted form.</p>${copyableCode(snippet(found), 'html', 'the form')}</section>
<section><h2>Sign-ups</h2>${shown.length === 0 ? emptyState('No sign-ups yet.', `Sign-ups are kept for ${signUps.keepDays} days.`) : signUpTable(shown)}${older(path)}</section>`
    return { title: found.name, main }
  },
})

type Counts = Awaited<ReturnType<typeof signUps.countStates>>

const facts = (found: forms.Form, { confirmed = 0, asked = 0, skipped = 0 }: Counts): [string, Html | string][] => [
  ['Status', stateOf(found)],
  ['Hosted form', html`<a href="${formUrl(found.id)}">${formUrl(found.id)}</a>`],
  ['Form', copyable(found.id, 'the form ID')],
  ['Sender', found.from_email],
  ['Topics', found.topics.join(', ') || '–'],
  ['Version of the text', found.text_version],
  ['Confirmed', count(confirmed)],
  ['Not confirmed yet', count(asked)],
  ['Skipped', count(skipped)],
]

const snippet = ({ id }: forms.Form): string => `<form method="post" action="${formUrl(id)}">
  <label>Email address <input name="email" type="email" required /></label>
  <button>Subscribe</button>
</form>`

const signUpTable = (shown: readonly signUps.SignUp[]): Html =>
  dataTable('Sign-ups, newest first', shown, {
    'Email address': ({ email }) => email,
    Status: ({ state, message_id }) =>
      html`${statusBadge(state)}${message_id && html` <a href="/app/mail/${message_id}">message</a>`}`,
    Reason: ['break wide', ({ reason }) => reason],
    'Consent text': ['break wide', ({ consent_text, text_version }) => `${consent_text} (version ${text_version})`],
    Sent: ({ created_at }) => ago(created_at),
  })
