import { findFirstSteps } from '#sql/account/first-steps.ts'
import type { Permission } from '#tasks/account/rules/roles.ts'
import type { DashboardSection } from '../http/dashboard/contents.ts'
import { page } from '../http/dashboard/page.ts'
import { docsHref } from '../http/hosts.ts'
import { type Html, html } from '../http/html/html.ts'

export const start = {
  title: 'Start',
  path: '/app',
  group: 'Start',
  guide: 'quickstart',
} as const satisfies DashboardSection

const steps = [
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
  summary: 'Show the first steps',
  section: start,
  async view({ db, member, may }) {
    const done = await findFirstSteps(db, member.orgId)
    const mine = steps.filter(([, , , , permission]) => may(permission))
    const left = mine.filter(([name]) => !done[name]).length
    const main = html`<h1>${member.orgName}</h1>
<p class="lead">${leadOf(mine.length, left)}</p>
<ul class="steps">${mine.map(([name, title, why, path]) => step(done[name], title, why, name === 'mail' && done.testMail ? '/app/test-inbox' : path))}</ul>
<section><h2>API</h2><p>The base URL of the API ends with <code>/v1</code>. Guides and reference are in the <a href="${docsHref}">documentation</a>.</p></section>`
    return { title: 'Start', main }
  },
})

function leadOf(all: number, left: number): string {
  if (all === 0) return 'You can view this organisation. Members with other roles can change it.'
  return left === 0 ? 'You have completed all first steps.' : 'Complete these steps to set up your organisation.'
}

const step = (done: boolean, title: string, why: string, path: string): Html => html`<li>
<svg viewBox="0 0 20 20" role="img" aria-label="${done ? 'Done' : 'Open'}">${done ? html`<circle cx="10" cy="10" r="8"/><path d="m6 10.5 3 3 5-6.5"/>` : html`<circle cx="10" cy="10" r="8" stroke-dasharray="3 3"/>`}</svg>
<strong>${title}</strong>
<a class="button" href="${path}">${done ? 'Show' : 'Start'}<span class="unseen"> ${title}</span></a>
<p>${why}</p></li>`
