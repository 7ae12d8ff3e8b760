import { z } from 'zod'
import { NewKeyInput } from '#tasks/account/rules/key-input.ts'
import { issueKey } from '#tasks/account/rules/keys.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, showSecretOnce, tokenField } from '../../http/html/parts.ts'
import { moveFaultsToFields, parseInput } from './input.ts'
import { keyFields, newKeyInputs, toNewKey } from './key-form.ts'
import { section } from './keys.ts'
import { mcpClient } from './mcp-client.ts'

/** Creates a key. It cannot have more permissions than its creator. The secret is shown only in this response. */
export const { show: ask, submit: make } = formPage({
  path: '/keys/new',
  summary: 'Create an API key',
  section,
  permission: 'keys:test',
  stepUp: true,
  fields: z.object(keyFields),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('API keys', section.path)}<h1>Create API key</h1>${renderFault(fault)}
<form class="form long" method="post">${tokenField(member)}
${newKeyInputs(filled, member.role)}
<div class="submit"><button class="primary">Create API key</button> <a class="button plain" href="${section.path}">Cancel</a></div></form>`
    return { title: 'Create API key', main }
  },
  async submit({ db, doer, member, given }) {
    const wanted = parseInput(NewKeyInput, toNewKey(given, member.role))
    const made = await moveFaultsToFields(db.transaction((tx) => issueKey(tx, doer, wanted)))
    const main = html`${parentLink('API keys', section.path)}<h1>${made.name}</h1>
${showSecretOnce(made.secret, 'Millrace does not show this API key again.')}
${mcpClient(made.name, made.secret)}
<p><a class="button" href="/app/keys/${made.id}">Open key settings</a></p>`
    return { view: { title: made.name, main } }
  },
})
