import { publicUrl } from '#lib/config.ts'
import { findFirstSteps } from '#sql/account/first-steps.ts'
import * as passkeys from '#sql/account/people/passkeys.ts'
import type { Permission } from '#tasks/account/rules/roles.ts'
import type { DashboardSection } from '../http/dashboard/contents.ts'
import { page } from '../http/dashboard/page.ts'
import { docsHref } from '../http/hosts.ts'
import { type Html, html } from '../http/html/html.ts'
import { renderOverview } from './overview.ts'

export const start = {
  title: 'Start',
  path: '/app',
  group: 'Start',
  guide: 'quickstart',
} as const satisfies DashboardSection

const steps = [
  [
    'passkey',
    'Create a passkey',
    'With a passkey, you sign in without an email and confirm sensitive actions on the same page.',
    '/app/you',
    'keys:test',
  ],
  ['key', 'Create an API key', 'Your servers need an API key for every request.', '/app/keys/new', 'keys:test'],
  [
    'mail',
    'Send a test email',
    'With a test key, the email appears in the test inbox and is not delivered.',
    '/app/mail',
    'areas:write',
  ],
  [
    'domain',
    'Verify a domain',
    'Emails to your recipients must come from your own domain.',
    '/app/domains',
    'domains:write',
  ],
  [
    'video',
    'Upload a video',
    'Upload a video in the dashboard or with the API. You can play the video soon after.',
    '/app/videos',
    'areas:write',
  ],
  ['webhook', 'Receive events', 'A webhook sends each event to your server.', '/app/webhooks/new', 'webhooks:write'],
  ['member', 'Invite a member', 'Each member has a role.', '/app/members', 'members:write'],
] as const satisfies readonly (readonly [string, string, string, string, Permission])[]

export const overview = page({
  path: '',
  summary: 'Show the first steps and the overview',
  section: start,
  async view({ db, member, may, region }) {
    const own = await passkeys.list(db, member.userId)
    const done = { ...(await findFirstSteps(db, member.orgId)), passkey: own.length > 0 }
    const mine = steps.filter(
      ([name, , , , permission]) => may(permission) && !(name === 'passkey' && member.method === 'oidc'),
    )
    const left = mine.filter(([name]) => !done[name]).length
    const overview = await renderOverview(member, region)
    const main = html`<h1>${member.orgName}</h1>
${left > 0 && checklist(mine, done, left)}
${(left === 0 || done.key) && overview}
<section><h2>API</h2><p>The base URL of the API is <code>${publicUrl()}/v1</code>. Guides and reference are in the <a href="${docsHref}">documentation</a>.</p></section>`
    return { title: 'Start', main }
  },
})

type Step = (typeof steps)[number]

const checklist = (
  mine: readonly Step[],
  done: Readonly<Record<Step[0] | 'testMail', boolean>>,
  left: number,
): Html => html`<section class="first-steps"><h2>First steps</h2>
<p class="lead">${mine.length - left} of ${mine.length} done. After the last step, this page shows only the overview.</p>
<ul class="steps">${mine.map(([name, title, why, path]) => step(done[name], title, why, name === 'mail' && done.testMail ? '/app/test-inbox' : path))}</ul></section>`

const step = (done: boolean, title: string, why: string, path: string): Html => html`<li>
<svg viewBox="0 0 20 20" role="img" aria-label="${done ? 'Done' : 'Open'}">${done ? html`<circle cx="10" cy="10" r="8"/><path d="m6 10.5 3 3 5-6.5"/>` : html`<circle cx="10" cy="10" r="8" stroke-dasharray="3 3"/>`}</svg>
<strong>${title}</strong>
<a class="button" href="${path}">${done ? 'Show' : 'Start'}<span class="unseen"> ${title}</span></a>
${!done && html`<p>${why}</p>`}</li>`
