import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import * as keys from '#sql/account/keys.ts'
import * as apps from '#sql/push/apps.ts'
import { issueKey } from '#tasks/account/rules/keys.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { type FormState, linesField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { parseOrigins } from '../../http/request/origin.ts'
import { pathId } from '../../http/request/validate.ts'
import { pageScopes, update } from '../public-keys.ts'
import { section } from './apps.ts'
import { publicKeyPath } from './public-key-page.ts'

const originsField = (filled: FormState, otherwise = ''): Html =>
  linesField(filled, {
    name: 'origins',
    label: 'Page origins',
    hint: 'One per line. For example, https://www.example.com. The key registers browsers on web pages of these origins. Without an origin, it only reports receipts.',
    otherwise,
    few: true,
  })

export const { show: askForKey, submit: make } = formPage({
  path: '/push/{app_id}/public-key',
  summary: 'Create a public key of an app',
  section,
  permission: 'keys:live',
  stepUp: true,
  params: z.object({ app_id: pathId('app') }),
  fields: z.object({ name: z.string().trim().max(100).default(''), origins: z.string().max(40_000).default('') }),
  async view({ db, member, params, filled, fault }) {
    const app = await mustFind(apps.find(db, member.orgId, params.app_id), 'app')
    const main = html`${parentLink(app.name, `${section.path}/${app.id}`)}<h1>Create a public key for ${app.name}</h1>${renderFault(fault)}
<p class="lead">Anyone can see a public key in your web pages and apps. The key registers browsers and reports receipts.</p>
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', otherwise: publicName(app), required: true })}
${originsField(filled)}
<button>Create</button></form>`
    return { title: 'Create a public key', main }
  },
  async submit({ db, member, doer, params, given }) {
    const origins = parseOrigins(given.origins)
    const { id } = await db.transaction(async (tx) => {
      const app = await mustFind(apps.find(tx, member.orgId, params.app_id), 'app')
      const wanted = {
        name: given.name === '' ? publicName(app) : given.name,
        scopes: origins.length > 0 ? [...pageScopes] : ['push:receipt' as const],
        locks: { app_id: app.id, ...(origins.length > 0 && { origins }) },
        public: true,
      }
      return await issueKey(tx, doer, wanted)
    })
    return { to: publicKeyPath(params.app_id, id), told: 'Public key created. Add it to your web pages or apps.' }
  },
})

const publicName = ({ name }: apps.App): string => `${name.slice(0, 80)}, public`

export const { show: askForOrigins, submit: changeOrigins } = formPage({
  path: '/push/{app_id}/public-keys/{key_id}/origins',
  summary: 'Edit the origins of a public key',
  section,
  permission: 'keys:live',
  stepUp: true,
  params: z.object({ app_id: pathId('app'), key_id: pathId('key') }),
  fields: z.object({ origins: z.string().max(40_000).default('') }),
  async view({ db, member, params, filled, fault }) {
    const key = await mustFind(keys.find(db, member.orgId, params.key_id), 'key')
    if (key.locks.app_id !== params.app_id) throw notFound('key')
    const main = html`${parentLink('App', `${section.path}/${params.app_id}`)}<h1>Origins of ${key.name}</h1>${renderFault(fault)}
<p class="lead">Changes apply within seconds, including on open web pages.</p>
<form class="form" method="post">${tokenField(member)}
${originsField(filled, key.locks.origins?.join('\n'))}
<button>Save</button></form>`
    return { title: `Origins of ${key.name}`, main }
  },
  async submit({ ask, params, given }) {
    const origins = parseOrigins(given.origins)
    const { name } = await ask(update, { params, body: { origins } }, z.object({ name: z.string() }))
    return { to: publicKeyPath(params.app_id, params.key_id), told: `Origins of ${name} updated.` }
  },
})
