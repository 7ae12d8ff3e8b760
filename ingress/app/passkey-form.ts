import { type Html, html } from '../http/html/html.ts'
import { scriptUrl } from './scripts.ts'

export const passkeyScripts = (): Html => html`<script src="${scriptUrl('webauthn.js')}" defer></script>
<script type="module" src="${scriptUrl('passkeys.js')}"></script>`

export function passkeyForm({
  way,
  action,
  button,
  to,
  token,
  fields,
}: {
  way: 'sign-in' | 'register'
  action: string
  button: string
  to?: string | undefined
  token?: string
  fields?: Html
}): Html {
  return html`<form class="sign-in" method="post" action="${action}" data-passkey="${way}">
<p class="fault" role="alert" hidden></p>
<input type="hidden" name="response" data-answer>
${token !== undefined && html`<input type="hidden" name="token" value="${token}">`}
${to !== undefined && html`<input type="hidden" name="to" value="${to}">`}
${fields}
<button disabled>${button}</button>
<noscript><p class="quiet">Turn on JavaScript to use passkeys.</p></noscript>
</form>`
}
