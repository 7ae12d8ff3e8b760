import type { Publisher } from '#sql/account/publishers.ts'
import type { Form } from '#sql/email/forms.ts'
import type { Topic } from '#sql/email/topics.ts'
import { type Content, html, queryString } from '../../http/html/html.ts'
import type { Page } from '../page.ts'
import { formUrl } from './url.ts'

/** Field with the token of the guard widget, and its action. */
export const guardField = 'mill-guard-token'
export const guardAction = 'subscribe'

export interface FormView {
  form: Form
  publisher: Publisher | null
  /** Topics of the form that exist. */
  topics: readonly Topic[]
  siteKey: string | null
}

interface Entered {
  email?: string
  fault?: string
  /** Token from the page for visitors without JavaScript. */
  token?: string | undefined
}

/** Policy that lets the guard widget run. */
const widgetPolicy = {
  'script-src': "'self'",
  'worker-src': "'self'",
  'connect-src': "'self'",
}

export function formPage(view: FormView, { email = '', fault, token }: Entered): Page {
  const { form, publisher, topics, siteKey } = view
  return {
    title: form.title,
    publisher,
    ...(siteKey !== null && {
      policy: widgetPolicy,
      head: html`<script type="module" src="/v1/guard/widget.js"></script>`,
    }),
    main: html`<form method="post" action="?">
<div class="field"><label for="email">Email address</label><input id="email" name="email" type="email" autocomplete="email" maxlength="320" required value="${email}"${fault && html` aria-invalid="true" aria-describedby="email-fault"`}>${fault && html`<p class="fault" id="email-fault" role="alert">${fault}</p>`}</div>
${topics.length > 1 && html`<fieldset><legend>Topics</legend><input type="hidden" name="topics" value="">${topics.map(({ key, name, description }) => html`<label class="choice"><input type="checkbox" name="topic" value="${key}" checked> <span>${name}${description && html`<span class="quiet">${description}</span>`}</span></label>`)}</fieldset>`}
<div class="trap" aria-hidden="true"><label for="website">Leave this field empty</label><input id="website" name="website" tabindex="-1" autocomplete="off"></div>
<p>${form.consent_text.split('\n').map((line, i) => html`${i > 0 && html`<br>`}${line}`)}</p>
${siteKey !== null && checkField(form.id, siteKey, token)}
<button>Subscribe</button></form>
<p class="quiet">You receive an email with a link. You are subscribed only after you confirm.</p>`,
  }
}

const checkField = (formId: string, sitekey: string, token: string | undefined): Content =>
  token !== undefined
    ? html`<input type="hidden" name="${guardField}" value="${token}">`
    : html`<mill-guard sitekey="${sitekey}" action="${guardAction}" auto="onfocus"></mill-guard>
<noscript><p><a href="/v1/guard/noscript${queryString({ sitekey, action: guardAction, return: formUrl(formId) })}">Pass the check without JavaScript</a></p></noscript>`

export const donePage = ({ publisher }: FormView): Page => ({
  title: 'Check your inbox',
  publisher,
  main: html`<p role="status">We have sent you an email with a link. Open the link to confirm your subscription.</p>
<p class="quiet">No email after a few minutes? Check the spam folder. An address that has unsubscribed receives no email.</p>`,
})
