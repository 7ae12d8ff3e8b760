import * as sessions from '#sql/account/people/browser-sessions.ts'
import * as passkeys from '#sql/account/people/passkeys.ts'
import type { DashboardSection } from '../http/dashboard/contents.ts'
import { listSignInOrganisations } from '../http/dashboard/organisations.ts'
import { page } from '../http/dashboard/page.ts'
import { isSteppedUp, type Member } from '../http/dashboard/session.ts'
import { ago } from '../http/html/format.ts'
import { type Html, html } from '../http/html/html.ts'
import { actionButton, tokenField } from '../http/html/parts.ts'
import { nameBrowser } from './browser-name.ts'
import { restrictedOrganisation } from './enter.ts'
import { passkeyForm, passkeyScripts } from './passkey-form.ts'

export const you = {
  title: 'Your account',
  path: '/app/you',
  group: 'Organisation',
  guide: 'dashboard',
} as const satisfies DashboardSection

const methods: Record<sessions.Method, string> = {
  invitation: 'invitation',
  mail: 'email',
  passkey: 'passkey',
  oidc: 'identity provider',
}

export const show = page({
  path: '/you',
  summary: 'Show your passkeys, sessions and organisations',
  whileClosed: true,
  section: you,
  async view({ db, member }) {
    const [keys, browsers, places] = await Promise.all([
      passkeys.list(db, member.userId),
      sessions.listOf(db, member.userId, restrictedOrganisation(member)),
      listSignInOrganisations(db, member.userId),
    ])
    const main = html`<h1>${member.name || member.email}</h1>
<p>You are signed in as ${member.email} in ${member.orgName} (${member.role}).</p>
<form class="form" method="post" action="/app/you/name">${tokenField(member)}
<div class="field"><label for="name">Your name</label>
<input id="name" name="name" required maxlength="100" autocomplete="name" value="${member.name}"></div>
<button>Save name</button>
</form>
${passkeySection(member, keys)}
${browserSection(member, browsers)}
${places.length > 1 && member.method !== 'oidc' && placeSection(member, places)}
${passkeyScripts()}`
    return { title: 'Your account', main }
  },
})

const passkeySection = (member: Member, keys: readonly passkeys.Passkey[]): Html => html`<section><h2>Passkeys</h2>
${keys.length === 0 && html`<p>No passkeys. With a passkey, you can sign in without an email and confirm sensitive actions.</p>`}
<ul>${keys.map(
  (key) =>
    html`<li>${key.name}, created ${ago(key.created_at)}, last used ${ago(key.last_used_at)} ${actionButton(member, `/app/you/passkeys/${key.id}/remove`, 'Remove passkey', { of: key.name, grave: true })}</li>`,
)}</ul>
${
  keys.length > 0 && !isSteppedUp(member)
    ? actionButton(member, '/app/you/passkeys/confirm', 'Add passkey')
    : passkeyForm({
        way: 'register',
        action: '/app/you/passkeys',
        button: 'Create passkey',
        token: member.csrf,
        fields: html`<label for="passkey">Name of the new passkey</label>
<input id="passkey" name="name" required maxlength="60" value="Passkey of ${new Date().toISOString().slice(0, 10)}">`,
      })
}</section>`

const browserSection = (
  member: Member,
  browsers: Awaited<ReturnType<typeof sessions.listOf>>,
): Html => html`<section><h2>Browser sessions</h2>
<ul>${browsers.map(
  (one) =>
    html`<li title="${one.agent}">${nameBrowser(one.agent)} in ${one.network}, for ${one.org_name}, by ${methods[one.method]} ${ago(one.authenticated_at)}, last seen ${ago(one.seen_at)} ${
      one.id === member.sessionId
        ? html`<strong>this browser</strong>`
        : actionButton(member, `/app/you/sessions/${one.id}/end`, 'Sign out', { of: nameBrowser(one.agent) })
    }</li>`,
)}</ul>
${browsers.length > 1 && actionButton(member, '/app/you/sessions/end-others', 'Sign out all other sessions')}</section>`

const placeSection = (
  member: Member,
  places: Awaited<ReturnType<typeof listSignInOrganisations>>,
): Html => html`<section><h2>Your organisations</h2>
<ul>${places.map(
  (place) =>
    html`<li>${place.org_name} (${place.role}) ${
      place.org_id === member.orgId
        ? html`<strong>current</strong>`
        : actionButton(member, `/app/you/organisations/${place.org_id}`, 'Switch to organisation', {
            of: place.org_name,
          })
    }</li>`,
)}</ul></section>`
