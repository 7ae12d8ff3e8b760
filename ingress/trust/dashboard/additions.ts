import { z } from 'zod'
import { formPage } from '../../http/dashboard/page.ts'
import { optionalField, selectField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { put } from '../lists.ts'
import { make as create } from '../watches.ts'
import { section } from './checks.ts'

const note = optionalField(z.string())

const noteField = { name: 'note', label: 'Note', hint: 'Optional. Only your organisation sees the note.' }

export const { show: askForWatch, submit: watch } = formPage({
  path: '/trust/watches/new',
  summary: 'Watch a URL',
  section,
  permission: 'areas:write',
  fields: z.object({ url: z.string(), note }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('URL checks', section.path)}<h1>Watch a URL</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'url', label: 'URL', required: true, hint: 'Millrace checks the URL repeatedly and sends a webhook when its verdict changes.' })}
${textField(filled, noteField)}
<p class="actions"><button class="primary">Watch URL</button> <a class="button plain" href="${section.path}">Cancel</a></p></form>`
    return { title: 'Watch a URL', main }
  },
  async submit({ ask, given }) {
    await ask(create, { body: given }, z.unknown())
    return { to: section.path, told: 'URL watched.' }
  },
})

const policies = [
  ['deny', 'deny'],
  ['allow', 'allow'],
] as const

export const { show: askForHost, submit: addHost } = formPage({
  path: '/trust/lists/new',
  summary: 'Allow or deny a host',
  section,
  permission: 'areas:write',
  fields: z.object({ hostname: z.string(), policy: z.enum(['deny', 'allow']), note }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('URL checks', section.path)}<h1>Allow or deny a host</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'hostname', label: 'Host', required: true, hint: 'For example, example.com. The entry also applies to its subdomains.' })}
${selectField(filled, { name: 'policy', label: 'Policy', options: policies })}
${textField(filled, noteField)}
<p class="actions"><button class="primary">Save host</button> <a class="button plain" href="${section.path}">Cancel</a></p></form>`
    return { title: 'Allow or deny a host', main }
  },
  async submit({ ask, given: { note = null, ...given } }) {
    await ask(put, { body: { ...given, note } }, z.unknown())
    return { to: section.path, told: 'Host saved. Checks return its policy.' }
  },
})
