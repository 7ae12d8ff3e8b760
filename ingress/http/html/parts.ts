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
  html`<span class="copyable"><code>${text}</code><button type="button" class="plain" data-copy="${text}" hidden>Copy<span class="unseen"> ${of}</span></button></span>`

export const showSecretOnce = (secret: string, words: Content): Html =>
  html`<section class="secret" role="status"><p><strong>Copy it now.</strong> ${words}</p>${copyable(secret, 'the secret')}</section>`

export const emptyState = (words: Content, next?: Content): Html =>
  html`<div class="empty"><p>${words}</p>${next && html`<p>${next}</p>`}</div>`

export const parentLink = (title: string, path: string): Html =>
  html`<p class="trail"><a href="${path}">${title}</a></p>`
