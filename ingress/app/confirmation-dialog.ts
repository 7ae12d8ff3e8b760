import * as ceremonies from '#sql/account/people/ceremonies.ts'
import * as connections from '#sql/account/people/connections.ts'
import * as passkeys from '#sql/account/people/passkeys.ts'
import { answerField, type ConfirmationState, type ConfirmingCall, wayField } from '../http/dashboard/confirmation.ts'
import { stepUpMinutes } from '../http/dashboard/session.ts'
import type { FormValues } from '../http/html/form.ts'
import { type Content, type Html, html } from '../http/html/html.ts'
import { tokenField } from '../http/html/parts.ts'
import { passkeyScripts } from './passkey-form.ts'
import { mayUseCode } from './request-code.ts'

/**
 * Renders the dialog that asks a member to confirm their identity. Each form contains the fields of the refused form,
 * so that a valid proof continues the request.
 */
export async function confirmationDialog(call: ConfirmingCall, state: ConfirmationState): Promise<Html> {
  const { db, member } = call
  const own = await passkeys.list(db, member.userId)
  const provider = await connections.findOfUser(db, member.orgId, member.userId)
  const takesCode = await mayUseCode(db, member)
  const heading = state.back === undefined ? 'h2' : 'h1'
  const title =
    heading === 'h1'
      ? html`<h1 id="identity-title">Confirm your identity</h1>`
      : html`<h2 id="identity-title">Confirm your identity</h2>`
  return html`<dialog class="identity" id="identity" aria-labelledby="identity-title" open>
${title}
<p>${state.sent ? html`Millrace has sent a six-digit code to <strong>${member.email}</strong>. The code expires in ${ceremonies.ceremonyMinutes} minutes.` : `This action needs a confirmation. Your entries are kept. The confirmation is valid for ${stepUpMinutes} minutes.`}</p>
${state.fault !== undefined && html`<p class="fault" role="alert" id="identity-fault">${state.fault}</p>`}
${state.sent && codeForm(call, state)}
${own.length > 0 && ceremonyForm(call, state, { way: 'passkey', script: 'step-up', button: 'Confirm with a passkey' })}
${takesCode && !state.sent && ceremonyForm(call, state, { way: 'new-passkey', script: 'register', button: 'Create a passkey and continue' })}
${takesCode && !state.sent && wayForm(call, state, 'mail', html`<button class="second">Send a code by email</button>`)}
${provider && providerForm(call, state)}
${takesCode && state.sent && wayForm(call, state, 'mail', html`<button class="second">Send another code</button>`)}
<p class="cancel"><a href="${state.back ?? call.ctx.path}" data-close>Cancel</a></p>
</dialog>
${passkeyScripts()}`
}

/** Renders a form that sends the refused form again with a proof. */
const wayForm = ({ ctx, member }: ConfirmingCall, { fields }: ConfirmationState, way: string, more: Content): Html =>
  html`<form class="sign-in" method="post" action="${ctx.url}">${tokenField(member)}${hiddenFields(fields)}
<input type="hidden" name="${wayField}" value="${way}">${more}</form>`

const codeForm = (call: ConfirmingCall, state: ConfirmationState): Html =>
  wayForm(
    call,
    state,
    'code',
    html`<label for="identity-code">Code</label>
<input id="identity-code" name="${answerField}" inputmode="numeric" autocomplete="one-time-code" required maxlength="20" spellcheck="false" autofocus${state.fault !== undefined && html` aria-invalid="true" aria-describedby="identity-fault"`}>
<button>Confirm and continue</button>`,
  )

const ceremonyForm = (
  { ctx, member }: ConfirmingCall,
  { fields }: ConfirmationState,
  { way, script, button }: { way: 'passkey' | 'new-passkey'; script: 'step-up' | 'register'; button: string },
): Html =>
  html`<form class="sign-in" method="post" action="${ctx.url}" data-passkey="${script}">
<p class="fault" role="alert" hidden></p>${tokenField(member)}${hiddenFields(fields)}
<input type="hidden" name="${wayField}" value="${way}"><input type="hidden" name="${answerField}" data-answer>
<button disabled>${button}</button><noscript><p class="quiet">Turn on JavaScript to use passkeys.</p></noscript></form>`

/** The provider has its own site, so the fields are stored until the member returns. */
const providerForm = ({ ctx, member }: ConfirmingCall, { fields }: ConfirmationState): Html =>
  html`<form class="sign-in" method="post" action="/app/step-up/provider">${tokenField(member)}
<input type="hidden" name="to" value="${ctx.url}"><input type="hidden" name="fields" value="${JSON.stringify(fields)}">
<button>Confirm with your identity provider</button></form>`

export const hiddenFields = (fields: FormValues): Html =>
  html`${Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value) => html`<input type="hidden" name="${name}" value="${value}">`),
  )}`
