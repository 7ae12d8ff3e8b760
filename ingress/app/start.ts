import { firstStepsOf } from '#sql/account/first-steps.ts'
import type { Permission } from '#tasks/account/rules/roles.ts'
import { type Html, html } from '../http/console/html.ts'
import type { DashboardSection } from '../http/dashboard/contents.ts'
import { page } from '../http/dashboard/page.ts'

/** Where the brand leads to. */
export const start = { title: 'Start', path: '/app', group: 'Home' } as const satisfies DashboardSection

/** What a newcomer does first, and what each is good for. */
const steps = [
  ['key', 'Make an API key', 'Whatever your servers ask for carries one.', '/app/keys/new', 'keys:test'],
  [
    'mail',
    'Send a first mail',
    'With a test key it is kept in the test inbox and leaves for nobody.',
    '/app/mail',
    'areas:write',
  ],
  ['domain', 'Verify a domain', 'Mail to people leaves from a domain that is yours.', '/app/domains', 'domains:write'],
  ['video', 'Upload a first video', 'From this page or by API; it plays a moment later.', '/app/videos', 'areas:write'],
  [
    'webhook',
    'Hear of what happens',
    'A webhook tells your server of each event.',
    '/app/webhooks/new',
    'webhooks:write',
  ],
  ['member', 'Invite somebody', 'Each with a role of their own.', '/app/members', 'members:write'],
] as const satisfies readonly (readonly [string, string, string, string, Permission])[]

/** `GET /app`: what is done, and what comes next. */
export const overview = page({
  path: '',
  summary: 'What is done, and what comes next',
  section: start,
  async view({ db, member, may }) {
    const done = await firstStepsOf(db, member.orgId)
    const mine = steps.filter(([, , , , permission]) => may(permission))
    const left = mine.filter(([name]) => !done[name]).length
    const main = html`<h1>${member.orgName}</h1>
<p class="lead">${leadOf(mine.length, left)}</p>
<ul class="steps">${mine.map(([name, title, why, path]) => step(done[name], title, why, name === 'mail' && done.testMail ? '/app/test-inbox' : path))}</ul>
<section><h2>For programs</h2><p>The API is at <code>/v1</code>: its guides and its reference are <a href="/docs">the documentation</a>.</p></section>`
    return { title: 'Start', main }
  },
})

/** What the page says above the steps of a member; a viewer has none. */
function leadOf(all: number, left: number): string {
  if (all === 0) return 'You see what your organisation does; others change it.'
  return left === 0 ? 'All first steps are done.' : 'These lead from nothing to a product that sends, plays and tells.'
}

const step = (done: boolean, title: string, why: string, path: string): Html => html`<li>
<svg viewBox="0 0 20 20" role="img" aria-label="${done ? 'Done' : 'Open'}">${done ? html`<circle cx="10" cy="10" r="8"/><path d="m6 10.5 3 3 5-6.5"/>` : html`<circle cx="10" cy="10" r="8" stroke-dasharray="3 3"/>`}</svg>
<strong>${title}</strong>
<a class="button" href="${path}">${done ? 'See' : 'Do it'}<span class="unseen"> ${title}</span></a>
<p>${why}</p></li>`
