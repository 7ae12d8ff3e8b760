import { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as apps from '#sql/push/apps.ts'
import * as rows from '#sql/push/credentials.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { selectField, textField } from '../../http/html/form.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { checkWithProvider, put, remove, retry } from '../credentials.ts'
import { section } from './apps.ts'
import { credentialActions, renderCredentials, withoutErrorName } from './credential-table.ts'
import { providerNames } from './providers.ts'
import { secretFileField } from './secret-file.ts'

const params = z.object({ app_id: pathId('app') })
const environments = ['production', 'sandbox'] as const
const environmentOptions = [
  ['production', 'Production: App Store, TestFlight and ad hoc builds'],
  ['sandbox', 'Sandbox: builds from Xcode'],
] as const

const pathOf = (appId: string): string => `${section.path}/${appId}`

const SetCredential = z.object({
  check: rows.table.Row.shape.check_state,
  check_reason: z.string().nullable(),
})

const toldOf = (name: string, { check, check_reason }: z.infer<typeof SetCredential>): string =>
  check === 'ok'
    ? `Credential of ${name} saved. ${name} accepts it.`
    : `Credential of ${name} saved, but the check ${check === 'failed' ? 'failed' : 'did not finish'}: ${withoutErrorName(check_reason ?? 'no reason given')}`

interface PagePart {
  db: Db
  member: Member
  appId: string
  provider: 'apns' | 'fcm'
  fault: string | undefined
  lead: Content
  fields: Html
}

async function credentialPage({ db, member, appId, provider, fault, lead, fields }: PagePart) {
  const app = await mustFind(apps.find(db, member.orgId, appId), 'app')
  const found = await rows.listForApp(db, app.id, provider)
  const name = providerNames[provider]
  const main = html`${parentLink(app.name, pathOf(app.id))}<h1>${name}</h1>${renderFault(fault)}
<p class="lead">${lead}</p>
${found.length > 0 && html`<section><h2>Stored credential</h2>${renderCredentials(found, credentialActions(member, app.id))}</section>`}
<section><h2>${found.length > 0 ? 'Replace the credential' : 'Upload the credential'}</h2>
<form class="form" method="post">${tokenField(member)}
${fields}
<p class="hint">The secret is encrypted and never shown again. ${name} checks it before the page returns.</p>
<button>${found.length > 0 ? 'Replace' : 'Upload'} and check</button></form></section>`
  return { title: name, main }
}

export const { show: askForApns, submit: setApns } = formPage({
  path: '/push/{app_id}/credentials/apns',
  summary: 'Set the APNs key of an app',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({
    key: z.string().default(''),
    key_id: z.string().default(''),
    team_id: z.string().default(''),
    topic: z.string().default(''),
    environment: z.enum(environments).default('production'),
  }),
  view: async ({ db, member, params: { app_id }, filled, fault }) =>
    await credentialPage({
      db,
      member,
      appId: app_id,
      provider: 'apns',
      fault,
      lead: html`Sends to iPhone, iPad, Mac and Apple Watch. Create the key in your Apple developer account, under <b>Certificates, IDs &amp; Profiles → Keys</b>.`,
      fields: html`${secretFileField(filled, { name: 'key', label: 'Key file', accept: '.p8', hint: 'For example, AuthKey_ABC123DEFG.p8. Apple lets you download it only once.' })}
${textField(filled, { name: 'key_id', label: 'Key ID', required: true, hint: 'Ten characters, as in the file name.' })}
${textField(filled, { name: 'team_id', label: 'Team ID', required: true, hint: 'Ten characters. See Membership details.' })}
${textField(filled, { name: 'topic', label: 'Topic (bundle ID of the app)', required: true, hint: 'For example, com.example.shop.' })}
${selectField(filled, { name: 'environment', label: 'Environment', options: environmentOptions })}`,
    }),
  async submit({ ask, params: { app_id }, given: { key, key_id, team_id, topic, environment } }) {
    const body = { key, key_id: key_id.trim(), team_id: team_id.trim(), topic: topic.trim(), environment }
    if (key.trim() === '') body.key = ''
    const set = await ask(put, { params: { app_id, provider: 'apns' }, body }, SetCredential)
    return { to: pathOf(app_id), told: toldOf(providerNames.apns, set) }
  },
})

export const { show: askForFcm, submit: setFcm } = formPage({
  path: '/push/{app_id}/credentials/fcm',
  summary: 'Set the FCM service account of an app',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({ service_account: z.string().default('') }),
  view: async ({ db, member, params: { app_id }, filled, fault }) =>
    await credentialPage({
      db,
      member,
      appId: app_id,
      provider: 'fcm',
      fault,
      lead: html`Sends to Android devices. Create the file in the Firebase console, under <b>Project settings → Service accounts → Generate new private key</b>.`,
      fields: secretFileField(filled, {
        name: 'service_account',
        label: 'Service account file',
        accept: '.json,application/json',
        hint: 'For example, shop-1234-firebase-adminsdk.json.',
      }),
    }),
  async submit({ ask, params: { app_id }, given }) {
    const body = { service_account: parseServiceAccount(given.service_account) }
    const asked = ask(put, { params: { app_id, provider: 'fcm' }, body }, SetCredential)
    return { to: pathOf(app_id), told: toldOf(providerNames.fcm, await asked.catch(nameParts)) }
  },
})

function parseServiceAccount(text: string): object {
  const issue = (words: string) => badRequest([{ field: 'form.service_account', issue: words }])
  if (text.trim() === '') throw issue('is required')
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw issue('must be a JSON file')
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw issue('must be a JSON object')
  if ('project_info' in parsed)
    throw issue('must be the key of a service account, not the google-services.json of an app')
  return parsed
}

/** Names the invalid part of the file in front of each issue, because the form has one field for the whole file. */
function nameParts(error: unknown): never {
  if (!(error instanceof Problem) || !Array.isArray(error.details)) throw error
  const faults = error.details as Fault[]
  const issue = faults.map(({ field, issue }) => `${field.split('.').at(-1)} ${issue}`).join('. ')
  throw badRequest([{ field: 'form.service_account', issue }])
}

const ofProvider = params.extend({ provider: z.enum(['apns', 'fcm']) })
const fields = z.object({ environment: z.enum(environments) })

export const check = action({
  path: '/push/{app_id}/credentials/{provider}/check',
  summary: 'Check a credential with its provider',
  permission: 'areas:write',
  params: ofProvider,
  fields,
  back: ({ app_id }) => pathOf(app_id),
  async perform({ db, member, services, params: { app_id, provider }, given: { environment } }) {
    const app = await mustFind(apps.find(db, member.orgId, app_id), 'app')
    const find = async () =>
      (await rows.listForApp(db, app.id, provider)).find((one) => one.environment === environment) ?? null
    const { id } = await mustFind(find(), 'credential')
    await checkWithProvider(db, services, id, member.orgId)
    const { check_state, check_reason } = await mustFind(find(), 'credential')
    const name = providerNames[provider]
    const told =
      check_state === 'ok'
        ? `${name} accepts the credential.`
        : `The check ${check_state === 'failed' ? 'failed' : 'did not finish'}: ${withoutErrorName(check_reason ?? '')}`
    return { to: pathOf(app_id), told }
  },
})

export const retryRejected = action({
  path: '/push/{app_id}/credentials/{provider}/retry',
  summary: 'Retry a rejected credential',
  permission: 'areas:write',
  params: ofProvider,
  fields,
  back: ({ app_id }) => pathOf(app_id),
  async perform({ ask, params, given }) {
    await ask(retry, { params, body: given }, z.unknown())
    return { to: pathOf(params.app_id), told: 'The next delivery tries the credential now.' }
  },
})

export const drop = action({
  path: '/push/{app_id}/credentials/{provider}/remove',
  summary: 'Delete a credential',
  permission: 'areas:write',
  params: ofProvider,
  fields,
  back: ({ app_id }) => pathOf(app_id),
  async perform({ ask, params, given }) {
    await ask(remove, { params, query: given }, z.unknown())
    return { to: pathOf(params.app_id), told: 'Credential deleted. Pending deliveries with it fail.' }
  },
})
