import type { SignUp } from '#sql/email/sign-ups.ts'
import { confirmVariable } from './reconfirm-text.ts'

/** The confirmation request of a form, with the text that the visitor saw. It contains nothing that the visitor wrote, so that nobody can send text with it. */
export function signUpMessage({ title, consent_text }: Pick<SignUp, 'title' | 'consent_text'>): {
  html: string
  text: string
} {
  return {
    html: `<p>Hello,</p>
<p>this address was entered in the form “${escaped(title)}”. Please confirm:</p>
<p>${escaped(consent_text).replaceAll('\n', '<br>')}</p>
<p><a href="${confirmVariable}">Yes, subscribe</a></p>
<p>If you did not enter your address, do nothing. You will not receive email.</p>
`,
    text: `Hello,

this address was entered in the form “${title}”. Please confirm:

${consent_text}

To confirm, open this page:

${confirmVariable}

If you did not enter your address, do nothing. You will not receive email.
`,
  }
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
