import type { Bot } from '#sql/bots/bots.ts'
import type { Delivery } from '#sql/bots/deliveries.ts'
import type { Message } from '#sql/bots/messages.ts'
import { ago } from '../../http/html/format.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { pathOf } from './section.ts'

export interface Thread {
  bot: Pick<Bot, 'id' | 'name'>
  /** True if the organisation owns the bot and its documents. */
  owned: boolean
  /** Text of the bot for questions without an answer. */
  fallback: string
  messages: readonly (Message & { delivery?: Delivery | null })[]
  /** Text so far of pending answers, by ID. */
  partial?: ReadonlyMap<string, string>
  /** Name of the person who asks. */
  person: string
}

/** Renders the messages of a conversation, oldest first, with the sources of each answer. */
export const threadList = (thread: Thread): Html =>
  html`<ol class="chat" tabindex="0">${thread.messages.map((message) => item(thread, message))}</ol>`

function item(thread: Thread, message: Thread['messages'][number]): Html {
  const { id, role, author, created_at, delivery } = message
  const who = role === 'user' ? thread.person : (author ?? thread.bot.name)
  return html`<li class="${role === 'user' ? 'asked' : 'answered'}" data-key="message-${id}"><p class="who"><strong>${who}</strong> <span class="quiet">${ago(created_at)}</span></p>
${role === 'user' ? asked(message) : answer(thread, message)}${delivery && deliveryOf(delivery)}</li>`
}

/** Links the message of a contact to the received message, which has its files. */
function asked({ content, metadata }: Message): Html {
  const { channel, received_id: id } = metadata ?? {}
  const path = channel === undefined ? undefined : receivedPaths[channel]
  return html`${words(content)}${path && html`<p><a href="${path}/${id}">Show the received message</a></p>`}`
}

const receivedPaths: Readonly<Record<string, string>> = {
  whatsapp: '/app/whatsapp/messages',
  email: '/app/received',
}

/** Shows if a message reached the contact of a channel. */
function deliveryOf({ status, reason }: Delivery): Html {
  const [shown, as] = deliveries[status]
  return html`<p>${statusBadge(status, { shown, as })}${reason !== null && html` <span class="quiet">${reason}</span>`}</p>`
}

const deliveries: Record<Delivery['status'], [shown: string, as: 'ok' | 'queued' | 'warned' | 'failed']> = {
  queued: ['queued', 'queued'],
  sent: ['sent', 'ok'],
  delivered: ['delivered', 'ok'],
  read: ['read', 'ok'],
  failed: ['not delivered', 'failed'],
  unknown: ['delivery unknown', 'warned'],
  window_closed: ['not sent: the contact has not written within 24 hours', 'failed'],
  opted_out: ['not sent: the contact has opted out', 'failed'],
  suppressed: ['not sent: the address is suppressed', 'failed'],
  refused: ['not sent', 'failed'],
}

const words = (text: string): Html => html`<p class="words">${text}</p>`

function answer({ bot, owned, fallback, partial }: Thread, message: Message): Content {
  const { id, status, content, citations, author, error, answered } = message
  if (status === 'pending') {
    const text = partial?.get(id)
    return html`${text && words(text)}<p>${statusBadge('running', { shown: 'answering…' })}</p>`
  }
  if (status === 'failed')
    return html`<p>${statusBadge('failed')}</p><p class="words bad">${failures[error?.code ?? 'upstream_error']}</p>`
  const isFallback = author === null && citations.length === 0 && content === fallback
  if (isFallback)
    return html`${words(content)}<p>${statusBadge('no answer', { as: 'warned' })} <span class="quiet">The documents contain no answer, so the bot returned its fallback.</span>${owned && html` <a href="${pathOf(bot.id)}/questions">Show unanswered questions</a>`}</p>`
  const isUnsure = answered === false && citations.length > 0
  return html`${words(content)}${isUnsure && html`<p>${statusBadge('not sure', { as: 'warned' })} <span class="quiet">The documents may not answer the question, so the bot only quoted passages that may help.</span>${owned && html` <a href="${pathOf(bot.id)}/questions">Show unanswered questions</a>`}</p>`}${citations.length > 0 && html`<div class="sources"><p class="quiet">Sources</p><ol>${citations.map((one) => sourceOf(owned ? bot : undefined, one))}</ol></div>`}`
}

const failures: Record<string, string> = {
  upstream_error: 'The model did not answer. Send the question again.',
  provider_not_configured: 'No model is configured. An operator must set AI_BASE_URL and AI_MODEL.',
  input_too_long: 'The conversation is too long for the model. Start a new conversation.',
  content_refused: 'The model rejected the question.',
  token_budget_exceeded: 'The plan’s tokens for this month are used up.',
  key_budget_exceeded: 'The AI budget of the API key has been used up.',
  model_not_allowed: 'The API key cannot use the model of the operator.',
  model_without_price: 'The model has no price, so the API key cannot use it.',
  key_revoked: 'The API key was revoked before the answer.',
}

function sourceOf(
  bot: Thread['bot'] | undefined,
  { document_id, title, url, quote }: Message['citations'][number],
): Html {
  const name = title ?? url ?? 'Document'
  return html`<li>${bot ? html`<a href="${pathOf(bot.id)}/documents/${document_id}">${name}</a>` : name} <q>${quote}</q></li>`
}

/**
 * Returns the name of the person in a conversation: the contact of a channel, otherwise the user. Members start
 * conversations of the dashboard.
 */
export function personOf(userId: string | null, contact: string | null = null): string {
  if (contact !== null) return contact
  if (userId === null) return 'Visitor'
  return userId.startsWith(memberPrefix) ? 'Member' : userId
}

/** Start of the user ID in conversations that members start in the dashboard. */
export const memberPrefix = 'dashboard:'
