import { type MailView, mailViews } from '../../http/dashboard/mail-frame.ts'
import { type Html, html, queryString } from '../../http/html/html.ts'

const names: Readonly<Record<MailView, string>> = { desktop: 'Desktop', phone: 'Phone', dark: 'Dark', text: 'Text' }

export const toMailView = (text: string): MailView => mailViews.find((one) => one === text) ?? 'desktop'

/** Radio buttons of a form with a preview. */
export const viewChoice = (chosen: string): Html =>
  html`<fieldset class="views"><legend class="unseen">View</legend>${mailViews.map(
    (one) =>
      html`<label><input type="radio" name="view" value="${one}"${one === toMailView(chosen) && html` checked`}> <span>${names[one]}</span></label>`,
  )}</fieldset>`

/** Links to the views of a stored email. `more` are other tabs, `fields` the other parameters of the page. */
export const viewLinks = (
  path: string,
  chosen: string,
  more: readonly (readonly [string, string])[] = [],
  fields: Readonly<Record<string, string | undefined>> = {},
): Html =>
  html`<nav class="spans" aria-label="View">${[...mailViews.map((one) => [one, names[one]] as const), ...more].map(
    ([view, words]) =>
      html`<a href="${path}${queryString({ ...fields, view })}#content"${view === chosen && html` aria-current="page"`}>${words}</a>`,
  )}</nav>`

/** A frame for `sendMailFrame`. It runs no JavaScript. Links open in a new tab. */
export const mailFrame = (src: string | undefined, view?: string): Html =>
  html`<iframe class="letter${view === 'phone' && ' narrow'}${view === 'dark' && ' night'}" name="preview" title="Email preview" sandbox="allow-popups allow-popups-to-escape-sandbox"${src !== undefined && html` src="${src}"`}></iframe>`
