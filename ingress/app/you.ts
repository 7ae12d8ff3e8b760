import * as sessions from '#sql/account/browser-sessions.ts'
import * as passkeys from '#sql/account/passkeys.ts'
import { ago } from '../http/console/format.ts'
import { type Html, html } from '../http/console/html.ts'
import type { DashboardSection } from '../http/dashboard/contents.ts'
import { page } from '../http/dashboard/page.ts'
import { actionButton, tokenField } from '../http/dashboard/parts.ts'
import type { Member } from '../http/dashboard/session.ts'
import { placesOf, vouchedFor } from './enter.ts'
import { passkeyForm, scripts } from './passkey-form.ts'

/** Where the navigation leads to. */
export const you = { title: 'You', path: '/app/you', group: 'Organisation' } as const satisfies DashboardSection

const methods: Record<sessions.Method, string> = {
  invitation: 'invitation',
  mail: 'mail',
  passkey: 'passkey',
  oidc: 'identity provider',
}

/** `GET /app/you`: one's passkeys, browsers and organisations. */
export const show = page({
  path: '/you',
  summary: 'Your passkeys, browsers and organisations',
  whileClosed: true,
  section: you,
  async view({ db, member }) {
    const [keys, browsers, places] = await Promise.all([
      passkeys.list(db, member.userId),
      sessions.listOf(db, member.userId, vouchedFor(member)),
      placesOf(db, member.userId),
    ])
    const main = html`<h1>${member.name || member.email}</h1>
<p>Signed in as ${member.email} for ${member.orgName} (${member.role}).</p>
<form class="form" method="post" action="/app/you/name">${tokenField(member)}
<div class="field"><label for="name">Your name, as others see it</label>
<input id="name" name="name" required maxlength="100" autocomplete="name" value="${member.name}"></div>
<button>Save</button>
</form>
${passkeySection(member, keys)}
${browserSection(member, browsers)}
${places.length > 1 && member.method !== 'oidc' && placeSection(member, places)}
${scripts()}`
    return { title: 'You', main }
  },
})

const passkeySection = (member: Member, keys: readonly passkeys.Passkey[]): Html => html`<section><h2>Passkeys</h2>
${keys.length === 0 && html`<p>None yet. With one you sign in without mail, and confirm what a stolen session must not do.</p>`}
<ul>${keys.map(
  (key) =>
    html`<li>${key.name}, made ${ago(key.created_at)}, last used ${ago(key.last_used_at)} ${actionButton(member, `/app/you/passkeys/${key.id}/remove`, 'Remove', { of: key.name, grave: true })}</li>`,
)}</ul>
${passkeyForm({
  way: 'register',
  action: '/app/you/passkeys',
  button: 'Make a passkey',
  token: member.csrf,
  fields: html`<label for="passkey">Name of the new passkey</label>
<input id="passkey" name="name" required maxlength="60" value="Passkey of ${new Date().toISOString().slice(0, 10)}">`,
})}</section>`

const browserSection = (
  member: Member,
  browsers: Awaited<ReturnType<typeof sessions.listOf>>,
): Html => html`<section><h2>Browsers in which you are signed in</h2>
<ul>${browsers.map(
  (one) =>
    html`<li>${one.agent || 'A browser without a name'} in ${one.network}, for ${one.org_name}, by ${methods[one.method]} ${ago(one.authenticated_at)}, last seen ${ago(one.seen_at)} ${
      one.id === member.sessionId
        ? html`<strong>this browser</strong>`
        : actionButton(member, `/app/you/sessions/${one.id}/end`, 'Sign out', { of: one.agent })
    }</li>`,
)}</ul>
${browsers.length > 1 && actionButton(member, '/app/you/sessions/end-others', 'Sign out all others')}</section>`

const placeSection = (
  member: Member,
  places: Awaited<ReturnType<typeof placesOf>>,
): Html => html`<section><h2>Your organisations</h2>
<ul>${places.map(
  (place) =>
    html`<li>${place.org_name} (${place.role}) ${
      place.org_id === member.orgId
        ? html`<strong>shown now</strong>`
        : actionButton(member, `/app/you/organisations/${place.org_id}`, 'Go on here', { of: place.org_name })
    }</li>`,
)}</ul></section>`
