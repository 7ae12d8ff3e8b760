import { z } from 'zod'
import * as sessions from '#sql/account/browser-sessions.ts'
import * as passkeys from '#sql/account/passkeys.ts'
import { type Html, html } from '../http/console/html.ts'
import { route } from '../http/route.ts'
import { placesOf } from './enter.ts'
import { go, sendBare, shared } from './frame.ts'
import { passkeyForm, scripts } from './passkey-form.ts'
import { findMember, type Member } from './session.ts'

/** A form of one button, which the member's token goes with. */
const buttonForm = (member: Member, action: string, button: string, fields: Record<string, string> = {}): Html =>
  html`<form method="post" action="${action}"><input type="hidden" name="token" value="${member.csrf}">${Object.entries(
    fields,
  ).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button>${button}</button></form>`

const minute = (at: Date) => at.toISOString().slice(0, 16).replace('T', ' ')

const methods: Record<sessions.Method, string> = {
  invitation: 'invitation',
  mail: 'mail',
  passkey: 'passkey',
  oidc: 'identity provider',
}

/** `GET /app/you`: one's passkeys, browsers and organisations. */
export const show = route({
  ...shared,
  method: 'GET',
  path: '/you',
  summary: 'Your passkeys, browsers and organisations',
  query: z.object({}),
  async handle({ ctx, db }) {
    const member = await findMember(ctx, db)
    if (!member) return go(ctx, '/app/sign-in?to=/app/you')
    const [keys, browsers, places] = await Promise.all([
      passkeys.list(db, member.userId),
      sessions.listOf(db, member.userId),
      placesOf(db, member.userId),
    ])
    if (member.told !== null) await sessions.tell(db, member.sessionId, null)
    const main = html`<h1>${member.name || member.email}</h1>
${member.told !== null && html`<p class="told" role="status">${member.told}</p>`}
<p>Signed in as ${member.email} for ${member.orgName} (${member.role}).</p>
<form class="sign-in" method="post" action="/app/you/name">
<input type="hidden" name="token" value="${member.csrf}">
<label for="name">Your name, as others see it</label>
<input id="name" name="name" required maxlength="100" autocomplete="name" value="${member.name}">
<button>Keep</button>
</form>
<h2>Passkeys</h2>
${keys.length === 0 && html`<p>None yet. With one you sign in without mail, and confirm what must not be done by a stolen session.</p>`}
<ul>${keys.map(
      (key) =>
        html`<li>${key.name}, made ${minute(key.created_at)}${key.last_used_at && html`, last used ${minute(key.last_used_at)}`}${buttonForm(member, '/app/you/passkeys/remove', `Remove ${key.name}`, { id: key.id })}</li>`,
    )}</ul>
${passkeyForm({
  way: 'register',
  action: '/app/you/passkeys',
  button: 'Make a passkey',
  token: member.csrf,
  fields: html`<label for="passkey">Name of the new passkey</label>
<input id="passkey" name="name" required maxlength="60" value="Passkey of ${minute(new Date()).slice(0, 10)}">`,
})}
<h2>Browsers you are signed in with</h2>
<ul>${browsers.map(
      (one) =>
        html`<li>${one.agent || 'unknown browser'} in ${one.network}, for ${one.org_name}, by ${methods[one.method]} ${minute(one.authenticated_at)}, last seen ${minute(one.seen_at)}${
          one.id === member.sessionId
            ? html` <strong>this browser</strong>`
            : buttonForm(member, '/app/you/sessions/end', 'End', { id: one.id })
        }</li>`,
    )}</ul>
${browsers.length > 1 && buttonForm(member, '/app/you/sessions/end-others', 'End all others')}
${
  places.length > 1 &&
  member.method !== 'oidc' &&
  html`<h2>Organisations</h2><ul>${places.map(
    (place) =>
      html`<li>${place.org_name} (${place.role})${
        place.org_id === member.orgId
          ? html` <strong>shown now</strong>`
          : buttonForm(member, '/app/you/organisation', `Go on for ${place.org_name}`, { id: place.org_id })
      }</li>`,
  )}</ul>`
}
${buttonForm(member, '/app/sign-out', 'Sign out')}
<p><a href="/app">To the start</a></p>`
    sendBare(ctx, { title: 'You', main }, scripts())
  },
})
