import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { requireMember } from '../../http/dashboard/admit.ts'
import { formPage, shared } from '../../http/dashboard/page.ts'
import { type FormState, optionalField, textField } from '../../http/html/form.ts'
import { type Html, html, queryString } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { pathId } from '../../http/request/validate.ts'
import { route } from '../../http/route.ts'
import { Preview } from '../campaigns/previews.ts'
import { preview } from '../campaigns.ts'
import { section } from './campaigns.ts'

const params = z.object({ campaign_id: pathId('campaign') })

export const { show: askForContact, submit: previewed } = formPage({
  path: '/campaigns/{campaign_id}/preview',
  summary: 'Preview a campaign for a contact',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({ contact: optionalField(z.string().max(400)) }),
  async view({ member, params: { campaign_id: id }, filled, fault, ask }) {
    const seen = await ask(preview, { params: { id } }, Preview)
    return previewPage(id, seen, html`${renderFault(fault)}${contactForm(filled, tokenField(member))}`)
  },
  async submit({ member, ask, params: { campaign_id: id }, given }) {
    const contact = given.contact?.trim()
    const seen = await ask(preview, { params: { id }, body: { ...(contact && { contact }) } }, Preview)
    const filled = { given: { contact: contact ?? '' }, faults: {} }
    return { view: previewPage(id, seen, contactForm(filled, tokenField(member))) }
  },
})

const contactForm = (filled: FormState, token: Html): Html => html`<form class="form" method="post">${token}
${textField(filled, { name: 'contact', label: 'Contact', type: 'email', hint: 'Optional. Leave blank to use the fallbacks.' })}
<button>Show preview</button></form>`

function previewPage(id: string, seen: z.output<typeof Preview>, form: Html) {
  const empty =
    seen.empty_fields.length > 0 &&
    html`<p class="note">No value for ${seen.empty_fields.join(', ')}. Add a fallback.</p>`
  const shown = `/app/campaigns/${id}/shown${queryString({ contact: seen.contact ?? undefined })}`
  const main = html`${parentLink('Campaign', `/app/campaigns/${id}`)}<h1>Preview</h1>${form}${empty}
<dl class="facts"><div><dt>Subject</dt><dd>${seen.subject}</dd></div><div><dt>Preheader</dt><dd>${seen.preheader ?? '–'}</dd></div>
<div><dt>As</dt><dd>${seen.contact ?? 'no contact'}</dd></div></dl>
<iframe class="letter" src="${shown}" sandbox title="Email preview"></iframe>
${seen.text !== null && html`<section><h2>Text</h2><pre tabindex="0">${seen.text}</pre></section>`}`
  return { title: 'Preview', main, reaches: { frames: ["'self'"] } }
}

/** A customer wrote the HTML. It cannot run JavaScript or access our origin. */
const policy =
  "default-src 'none'; img-src https: data:; style-src 'unsafe-inline'; sandbox; base-uri 'none'; frame-ancestors 'self'"

export const shown = route({
  ...shared,
  method: 'GET',
  path: '/campaigns/{campaign_id}/shown',
  summary: 'Show the email in a campaign preview',
  params,
  query: z.object({ contact: Address.optional() }),
  async handle(call) {
    const allowed = await requireMember(call, { permission: 'areas:write' })
    if (!allowed) return
    const { campaign_id: id } = call.params
    const { contact } = call.query
    const { html: mail } = await allowed.ask(
      preview,
      { params: { id }, body: { ...(contact && { contact }) } },
      Preview,
    )
    call.ctx.set('content-security-policy', policy)
    call.ctx.set('x-frame-options', 'SAMEORIGIN')
    call.ctx.set('referrer-policy', 'no-referrer')
    call.ctx.set('cache-control', 'no-store')
    call.ctx.type = 'text/html; charset=utf-8'
    call.ctx.body = mail
  },
})
