import type { Member } from '../dashboard/session.ts'
import { type Content, type Html, html } from './html.ts'

export const tokenField = ({ csrf }: Pick<Member, 'csrf'>): Html =>
  html`<input type="hidden" name="token" value="${csrf}">`

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

export const renderFault = (fault: string | undefined): Html | undefined =>
  fault === undefined ? undefined : html`<p class="fault" role="alert">${fault}</p>`

export const copyable = (text: string, of: string): Html =>
  html`<span class="copyable"><code>${text}</code><button type="button" class="plain scripted-only" data-copy="${text}">Copy<span class="unseen"> ${of}</span></button></span>`

/** Characters of a short ID: an ID of the product is unique by its last ones. */
const [idStart, idEnd] = [4, 6]

/** Renders the first and last characters of an ID, with the whole ID as its title and a button that copies it. */
export function shortId(id: string, { href, of = 'ID' }: { href?: string; of?: string } = {}): Html {
  const short = id.length <= idStart + idEnd + 3 ? id : `${id.slice(0, idStart)}…${id.slice(-idEnd)}`
  const text = html`<span class="id" title="${id}">${short}</span>`
  return html`<span class="short-id">${href ? html`<a href="${href}">${text}</a>` : text}<button type="button" class="plain icon-button scripted-only" data-copy="${id}" title="Copy ${of}" aria-label="Copy ${of} ${short}"></button></span>`
}

export const showSecretOnce = (secret: string, words: Content): Html =>
  html`<section class="secret" role="status"><p><strong>Copy it now.</strong> ${words}</p>${copyable(secret, 'the secret')}</section>`

/**
 * Renders what a page shows instead of an empty list: one sentence, what to know next, and the action that fills the
 * list.
 */
export const emptyState = (words: Content, next?: Content, action?: Content): Html =>
  html`<div class="empty"><svg viewBox="0 0 32 32" aria-hidden="true"><path d="M4 18 8.500 6h15L28 18v8H4zM4 18h7l2 4h6l2-4h7"/></svg><p>${words}</p>${next && html`<p class="quiet">${next}</p>`}${action && html`<p class="actions">${action}</p>`}</div>`

/** Renders a link that looks like a button. The main action of a page is primary. */
export const linkButton = (path: string, words: string, { primary = false } = {}): Html =>
  html`<a class="button${primary && ' primary'}" href="${path}">${words}</a>`

export const parentLink = (title: string, path: string): Html =>
  html`<p class="trail"><a href="${path}">${title}</a></p>`
