import * as sessions from '#sql/account/people/browser-sessions.ts'
import * as passkeys from '#sql/account/people/passkeys.ts'
import type { DashboardSection } from '../http/dashboard/contents.ts'
import { listSignInOrganisations } from '../http/dashboard/organisations.ts'
import { page } from '../http/dashboard/page.ts'
import { isSteppedUp, type Member } from '../http/dashboard/session.ts'
import { dataTable } from '../http/html/data-table.ts'
import { ago } from '../http/html/format.ts'
import { type Html, html } from '../http/html/html.ts'
import { statusBadge } from '../http/html/marks.ts'
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
<p class="lead">You are signed in as ${member.email} in ${member.orgName} (${member.role}).</p>
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
${keys.length === 0 && html`<p class="lead">No passkeys. With a passkey, you can sign in without an email and confirm sensitive actions.</p>`}
${keys.length > 0 && passkeyTable(member, keys)}
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

const passkeyTable = (member: Member, keys: readonly passkeys.Passkey[]): Html =>
  dataTable('Passkeys', keys, {
    Passkey: (key) => key.name,
    Created: (key) => ago(key.created_at),
    'Last used': (key) => ago(key.last_used_at),
    Actions: [
      'actions',
      (key) =>
        actionButton(member, `/app/you/passkeys/${key.id}/remove`, 'Remove passkey', { of: key.name, grave: true }),
    ],
  })

const browserSection = (
  member: Member,
  browsers: Awaited<ReturnType<typeof sessions.listOf>>,
): Html => html`<section><h2>Browser sessions</h2>
${browserTable(member, browsers)}
${browsers.length > 1 && actionButton(member, '/app/you/sessions/end-others', 'Sign out all other sessions')}</section>`

const browserTable = (member: Member, browsers: Awaited<ReturnType<typeof sessions.listOf>>): Html =>
  dataTable('Browser sessions', browsers, {
    Browser: ['break', (one) => html`<span title="${one.agent}">${nameBrowser(one.agent)}</span>`],
    Organisation: ['break', (one) => one.org_name],
    Network: (one) => one.network,
    'Signed in': (one) => html`${ago(one.authenticated_at)} <span class="quiet">by ${methods[one.method]}</span>`,
    'Last seen': (one) => ago(one.seen_at),
    Actions: [
      'actions',
      (one) =>
        one.id === member.sessionId
          ? statusBadge('active', { shown: 'this browser' })
          : actionButton(member, `/app/you/sessions/${one.id}/end`, 'Sign out', { of: nameBrowser(one.agent) }),
    ],
  })

const placeSection = (
  member: Member,
  places: Awaited<ReturnType<typeof listSignInOrganisations>>,
): Html => html`<section><h2>Your organisations</h2>
${placeTable(member, places)}</section>`

const placeTable = (member: Member, places: Awaited<ReturnType<typeof listSignInOrganisations>>): Html =>
  dataTable('Your organisations', places, {
    Organisation: (place) => place.org_name,
    Role: (place) => place.role,
    Actions: [
      'actions',
      (place) =>
        place.org_id === member.orgId
          ? statusBadge('active', { shown: 'current' })
          : actionButton(member, `/app/you/organisations/${place.org_id}`, 'Switch to organisation', {
              of: place.org_name,
            }),
    ],
  })
