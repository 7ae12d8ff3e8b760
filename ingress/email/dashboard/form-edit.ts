import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import * as forms from '#sql/email/forms.ts'
import * as topics from '#sql/email/topics.ts'
import * as sites from '#sql/guard/sites.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { checkBoxes, type FormState, linesField, repeatedField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create, remove, update } from '../forms.ts'
import { section } from './forms.ts'

const params = z.object({ form_id: pathId('form') })

const text = z.string().max(10_000).default('')

const fields = z.object({
  name: text,
  title: text,
  consent_text: text,
  text_version: text,
  topics: repeatedField(z.string().max(100)),
  from_email: text,
  from_name: text,
  subject: text,
  guard_site_id: text,
  success_url: text,
  active: z.enum(['yes', 'no']).default('yes'),
})

const toBody = (given: z.output<typeof fields>) => ({
  name: given.name.trim(),
  title: given.title.trim(),
  consent_text: given.consent_text.replaceAll('\r\n', '\n').trim(),
  text_version: given.text_version.trim(),
  topics: given.topics,
  from_email: given.from_email.trim(),
  from_name: given.from_name.trim() || null,
  subject: given.subject.trim(),
  guard_site_id: given.guard_site_id || null,
  success_url: given.success_url.trim() || null,
  active: given.active === 'yes',
})

const mostOffered = 100

async function formFields(db: Db, orgId: string, filled: FormState, now?: forms.Form): Promise<Html> {
  const [allTopics, allSites] = await Promise.all([
    topics.listAll(db, orgId),
    sites.list(db, orgId, { before: undefined, limit: mostOffered }),
  ])
  return html`${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: now?.name ?? '', hint: 'Evidence of consent contains it. For example, Website footer.' })}
${textField(filled, { name: 'title', label: 'Heading', required: true, otherwise: now?.title ?? '' })}
${linesField(filled, { name: 'consent_text', label: 'Consent text', required: true, prose: true, otherwise: now?.consent_text ?? '' })}
${textField(filled, { name: 'text_version', label: 'Version of the text', required: true, otherwise: now?.text_version ?? '1', hint: 'Change it together with the text.' })}
${
  allTopics.length > 0 &&
  checkBoxes(filled, {
    name: 'topics',
    label: 'Topics',
    hint: 'With several topics, visitors can choose.',
    options: allTopics.map(({ key, name }) => [key, name] as const),
    otherwise: now?.topics ?? [],
  })
}
${textField(filled, { name: 'from_email', label: 'From', type: 'email', required: true, otherwise: now?.from_email ?? '', hint: 'An address in a verified domain.' })}
${textField(filled, { name: 'from_name', label: 'Sender name', otherwise: now?.from_name ?? '' })}
${textField(filled, { name: 'subject', label: 'Subject', required: true, otherwise: now?.subject ?? 'Please confirm your subscription' })}
${
  allSites.length > 0 &&
  selectField(filled, {
    name: 'guard_site_id',
    label: 'Guard site',
    options: [['', 'no check'], ...allSites.map(({ id, name }) => [id, name] as const)],
    otherwise: now?.guard_site_id ?? '',
    hint: 'Visitors must pass the check of this site. List the origin of Millrace in the site.',
  })
}
${textField(filled, { name: 'success_url', label: 'Page after the form', type: 'url', otherwise: now?.success_url ?? '', hint: 'Optional.' })}
${selectField(filled, {
  name: 'active',
  label: 'Status',
  options: [
    ['yes', 'active'],
    ['no', 'closed'],
  ],
  otherwise: now?.active === false ? 'no' : 'yes',
})}`
}

export const { show: askForForm, submit: add } = formPage({
  path: '/email-forms/new',
  summary: 'Create a sign-up form',
  section,
  permission: 'areas:write',
  fields,
  async view({ db, member, filled, fault }) {
    const main = html`${parentLink('Sign-up forms', section.path)}<h1>Create a sign-up form</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${await formFields(db, member.orgId, filled)}
<button>Create form</button></form>`
    return { title: 'Create a sign-up form', main }
  },
  async submit({ ask, given }) {
    const { id } = await ask(create, { body: toBody(given) }, z.object({ id: z.string() }))
    return { to: `${section.path}/${id}`, told: 'Form created.' }
  },
})

export const { show: askForChanges, submit: change } = formPage({
  path: '/email-forms/{form_id}/edit',
  summary: 'Update a sign-up form',
  section,
  permission: 'areas:write',
  params,
  fields,
  async view({ db, member, params, filled, fault }) {
    const found = await mustFind(forms.find(db, member.orgId, params.form_id, false), 'form')
    const main = html`${parentLink(found.name, `${section.path}/${found.id}`)}<h1>Edit ${found.name}</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${await formFields(db, member.orgId, filled, found)}
<button>Save form</button></form>`
    return { title: `Edit ${found.name}`, main }
  },
  async submit({ ask, params, given }) {
    await ask(update, { params: { id: params.form_id }, body: toBody(given) }, z.unknown())
    return { to: `${section.path}/${params.form_id}`, told: 'Form saved.' }
  },
})

export const { show: askToRemove, submit: drop } = formPage({
  path: '/email-forms/{form_id}/remove',
  summary: 'Delete a sign-up form',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view({ db, member, params, fault }) {
    const { id, name } = await mustFind(forms.find(db, member.orgId, params.form_id, false), 'form')
    const main = html`${parentLink(name, `${section.path}/${id}`)}<h1>Delete ${name}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>Sign-ups that are not confirmed are deleted. Confirmed contacts keep their evidence of consent.</p>
<p class="actions"><button class="grave">Delete form</button> <a class="button plain" href="${section.path}/${id}">Cancel</a></p></form>`
    return { title: `Delete ${name}`, main }
  },
  async submit({ ask, params }) {
    await ask(remove, { params: { id: params.form_id } }, z.unknown())
    return { to: section.path, told: 'Form deleted.' }
  },
})
