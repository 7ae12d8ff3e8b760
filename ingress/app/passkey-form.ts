import { type Html, html } from '../http/console/html.ts'
import { scriptUrl } from './scripts.ts'

/** What pages with a passkey load. */
export const scripts = (): Html => html`<script src="${scriptUrl('webauthn.js')}" defer></script>
<script type="module" src="${scriptUrl('passkeys.js')}"></script>`

/** A form that the page's script sends with what the browser's authenticator answers; without script it says what is lacking. */
export function passkeyForm({
  way,
  action,
  button,
  to,
  token,
  fields,
}: {
  /** Of which `/app/passkeys/{way}` gives the challenge. */
  way: 'sign-in' | 'step-up' | 'register'
  action: string
  button: string
  to?: string | undefined
  token?: string
  fields?: Html
}): Html {
  return html`<form class="sign-in" method="post" action="${action}" data-passkey="${way}">
<p class="fault" role="alert" hidden></p>
<input type="hidden" name="response">
${token !== undefined && html`<input type="hidden" name="token" value="${token}">`}
${to !== undefined && html`<input type="hidden" name="to" value="${to}">`}
${fields}
<button disabled>${button}</button>
<noscript><p class="quiet">Turn on JavaScript to use passkeys.</p></noscript>
</form>`
}
