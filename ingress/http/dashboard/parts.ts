import { type Content, type Html, html, search } from '../console/html.ts'
import type { Member } from './session.ts'

/** The hidden field without which a form of the dashboard is refused. */
export const tokenField = ({ csrf }: Pick<Member, 'csrf'>): Html =>
  html`<input type="hidden" name="token" value="${csrf}">`

/** A button that does something at once; `of` says to what, for those who cannot see which row it stands in. */
export function actionButton(
  member: Member,
  path: string,
  words: string,
  { of, grave = false, fields = {} }: { of?: string; grave?: boolean; fields?: Readonly<Record<string, string>> } = {},
): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form class="inline" method="post" action="${path}">${tokenField(member)}${hidden}<button${grave && html` class="grave"`}>${words}${of && html`<span class="unseen"> ${of}</span>`}</button></form>`
}

/** What was wrong with a form as a whole, above it. */
export const faultOf = (fault: string | undefined): Html | undefined =>
  fault === undefined ? undefined : html`<p class="fault" role="alert">${fault}</p>`

/** A text to copy, with a button where there is script. */
export const copyable = (text: string, of: string): Html =>
  html`<span class="copyable"><code>${text}</code><button type="button" class="plain" data-copy="${text}" hidden>Copy<span class="unseen"> ${of}</span></button></span>`

/** A secret that is shown this once. */
export const secretOnce = (secret: string, words: Content): Html =>
  html`<section class="secret" role="status"><p><strong>Copy it now.</strong> ${words}</p>${copyable(secret, 'the secret')}</section>`

/** The link to the next page of a list. */
export const older = (path: string, fields: Record<string, string | number | undefined>, words = 'Older'): Html =>
  html`<p class="more"><a href="${path}${search(fields)}">${words}</a></p>`

/** What a list says when nothing is in it, and what to do about it. */
export const empty = (words: Content, next?: Content): Html =>
  html`<div class="empty"><p>${words}</p>${next && html`<p>${next}</p>`}</div>`

/** The trail above the heading of a page that belongs to another. */
export const trail = (title: string, path: string): Html => html`<p class="trail"><a href="${path}">${title}</a></p>`
