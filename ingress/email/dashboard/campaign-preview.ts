import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { quickTextOf } from '#tasks/email/rules/html-text.ts'
import { requireMember } from '../../http/dashboard/admit.ts'
import { sendMailFrame } from '../../http/dashboard/mail-frame.ts'
import { formPage, shared } from '../../http/dashboard/page.ts'
import { type FormState, optionalField, textField } from '../../http/html/form.ts'
import { type Html, html, queryString } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { pathId } from '../../http/request/validate.ts'
import { route } from '../../http/route.ts'
import { Preview } from '../campaigns/previews.ts'
import { preview } from '../campaigns.ts'
import { section } from './campaigns.ts'
import { mailFrame, toMailView, viewLinks } from './mail-views.ts'

const params = z.object({ campaign_id: pathId('campaign') })

const query = z.object({ contact: Address.optional(), view: z.string().max(20).default('desktop') })

export const { show: askForContact, submit: previewed } = formPage({
  path: '/campaigns/{campaign_id}/preview',
  summary: 'Preview a campaign for a contact',
  section,
  permission: 'areas:write',
  params,
  query,
  fields: z.object({ contact: optionalField(z.string().max(400)) }),
  async view({ member, params: { campaign_id: id }, query: { contact, view }, filled, fault, ask }) {
    const seen = await ask(preview, { params: { id }, body: { ...(contact && { contact }) } }, Preview)
    const state = fault === undefined ? { given: { contact: contact ?? '' }, faults: {} } : filled
    return previewPage(id, seen, view, html`${renderFault(fault)}${contactForm(state, tokenField(member))}`)
  },
  async submit({ member, ask, params: { campaign_id: id }, given, query: { view } }) {
    const contact = given.contact?.trim()
    const seen = await ask(preview, { params: { id }, body: { ...(contact && { contact }) } }, Preview)
    const filled = { given: { contact: contact ?? '' }, faults: {} }
    return { view: previewPage(id, seen, view, contactForm(filled, tokenField(member))) }
  },
})

const contactForm = (filled: FormState, token: Html): Html => html`<form class="form" method="post">${token}
${textField(filled, { name: 'contact', label: 'Contact', type: 'email', hint: 'Optional. Leave blank to use the fallbacks.' })}
<button>Show preview</button></form>`

function previewPage(id: string, seen: z.output<typeof Preview>, view: string, form: Html) {
  const empty =
    seen.empty_fields.length > 0 &&
    html`<p class="note">No value for ${seen.empty_fields.join(', ')}. Add a fallback.</p>`
  const fields = { contact: seen.contact ?? undefined }
  const shown = `/app/campaigns/${id}/shown${queryString({ ...fields, view: toMailView(view) })}`
  const main = html`${parentLink('Campaign', `/app/campaigns/${id}`)}<h1>Preview</h1>${form}${empty}
<dl class="facts"><div><dt>Subject</dt><dd>${seen.subject}</dd></div><div><dt>Preheader</dt><dd>${seen.preheader ?? '–'}</dd></div>
<div><dt>As</dt><dd>${seen.contact ?? 'no contact'}</dd></div></dl>
<section id="content"><h2 class="unseen">Email</h2>${viewLinks(`/app/campaigns/${id}/preview`, view, [], fields)}
<div class="mail-stage">${mailFrame(shown, view)}</div></section>`
  return { title: 'Preview', main, reaches: { frames: ["'self'"] } }
}

export const shown = route({
  ...shared,
  method: 'GET',
  path: '/campaigns/{campaign_id}/shown',
  summary: 'Show the email in a campaign preview',
  params,
  query,
  async handle(call) {
    const allowed = await requireMember(call, { permission: 'areas:write' })
    if (!allowed) return
    const { campaign_id: id } = call.params
    const { contact, view } = call.query
    const seen = await allowed.ask(preview, { params: { id }, body: { ...(contact && { contact }) } }, Preview)
    const text = seen.text ?? quickTextOf(seen.html)
    sendMailFrame(call.ctx, { html: seen.html, text }, toMailView(view))
  },
})
