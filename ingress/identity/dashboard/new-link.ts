import { z } from 'zod'
import { catalogue } from '#tasks/identity/rules/catalogue.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { optionalField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { copyable, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { read } from '../readiness.ts'
import { requirementTitle, section } from './checks.ts'

const Step = z.looseObject({ requirement: z.string(), title: z.string(), prompt_url: z.url() })

const Readiness = z.looseObject({
  ready: z.boolean(),
  satisfied: z.array(z.string()),
  pending_verification: z.array(z.string()),
  next_step: Step.nullable(),
})

export const { show, submit } = formPage({
  path: '/identity/new',
  summary: 'Create a verification link',
  section,
  permission: 'areas:write',
  fields: z.object({
    product: z.string(),
    idp_sub: z.string().trim().min(1, 'is required'),
    return_to: optionalField(z.string()),
  }),
  async view({ member, services, filled, fault }) {
    const { products, default_product } = catalogue()
    const options = products.map(({ product, title }) => [product, title] as const)
    const main = html`${parentLink('Identity', section.path)}<h1>Create a verification link</h1>${renderFault(fault)}
<p class="lead">The link opens a page where the person completes the next step: a document, a photo or consent.</p>
<form class="form" method="post">${tokenField(member)}
${selectField(filled, { name: 'product', label: 'Product', options, otherwise: default_product })}
${textField(filled, { name: 'idp_sub', label: 'Person', required: true, hint: 'Your ID for the person. For example, customer-17.' })}
${textField(filled, { name: 'return_to', label: 'Return URL', type: 'url', hint: 'Optional. The page links back to this URL.' })}
<p class="actions"><button class="primary">Create link</button> <a class="button plain" href="${section.path}">Cancel</a></p></form>
${apiCall(services, 'identity.readiness.read', { query: { product: default_product, idp_sub: 'customer-17' } })}`
    return { title: 'Create a verification link', main }
  },
  async submit({ ask, services, given: { product, idp_sub, return_to } }) {
    const query = { product, idp_sub, ...(return_to && { return_to }) }
    const found = await ask(read, { query }, Readiness)
    const main = html`${parentLink('Identity', section.path)}<h1>${found.ready ? 'This person is verified' : 'Verification link'}</h1>
${found.next_step ? linkOf(found.next_step) : html`<p class="lead">${found.ready ? 'No steps are due.' : 'No step is due now. Submitted documents wait for a decision.'}</p>`}
<dl class="facts"><div><dt>Person</dt><dd class="break">${idp_sub}</dd></div>
${list('Completed', found.satisfied)}${list('Waiting for a decision', found.pending_verification)}</dl>
${apiCall(services, 'identity.readiness.read', { query })}
<p class="actions"><a class="button" href="${section.path}/new">Create another link</a></p>`
    return { view: { title: 'Verification link', main } }
  },
})

const list = (name: string, requirements: readonly string[]): Html | false =>
  requirements.length > 0 && html`<div><dt>${name}</dt><dd>${requirements.map(requirementTitle).join(', ')}</dd></div>`

const linkOf = ({ title, prompt_url }: z.output<typeof Step>): Html =>
  html`<section class="result"><h2>Next step: ${title}</h2><p>${copyable(prompt_url, 'the verification link')}</p>
<p class="hint">Send the link to this person only. It works once and expires in 30 minutes.</p>
<p class="actions"><a class="button" href="${prompt_url}" target="_blank" rel="noreferrer">Open the page</a></p></section>`
