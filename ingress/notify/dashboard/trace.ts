import type { RunStep } from '#sql/notify/run-steps.ts'
import type { Step } from '#sql/notify/workflow-steps.ts'
import { ago, formatInstant } from '../../http/html/format.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { shortId } from '../../http/html/parts.ts'
import { flowCard, triggerCard } from './step-cards.ts'

export type TracedStep = Pick<
  RunStep,
  'number' | 'channel' | 'state' | 'reason' | 'detail' | 'due_at' | 'text_locale' | 'text_version'
> & { message_id?: string | null; at?: Date; said?: { title: string; body: string | null } | undefined }

interface Flow {
  trigger: { product_key: string; type: string }
  steps: readonly Step[]
  traced: readonly TracedStep[]
  /** Words for steps that have no entry in the trace. */
  open: string
  /** Words for each state. A rehearsal sends nothing, so a step is never `done`. */
  words?: Partial<Record<TracedStep['state'], string>>
}

/** Renders each step of a workflow with its result. */
export function renderTrace({ trigger, steps, traced, open, words = {} }: Flow): Html {
  const byNumber = new Map(traced.map((one) => [one.number, one]))
  const known = steps.map((step, i) => {
    const result = byNumber.get(i)
    const end = result ? resultOf(result, words) : statusBadge('idle', { shown: open })
    return flowCard(step, i, { end, more: result && moreOf(result), state: result?.state ?? 'open' })
  })
  return html`<ol class="flow trace">${triggerCard(trigger)}${known}</ol>`
}

const resultOf = ({ state, at }: TracedStep, words: Flow['words']): Html =>
  html`${statusBadge(state, { shown: words?.[state] ?? state })}${at && html` <time class="quiet" datetime="${at.toISOString()}" title="${formatInstant(at)} UTC">${at.toISOString().slice(11, 19)}</time>`}`

const explanations: Readonly<Record<string, string>> = {
  condition: 'A condition is false.',
  preference: 'The person does not want this channel.',
  no_address: 'The person has no email address.',
  no_phone: 'The person has no phone number.',
  no_app: 'The person has no push app.',
  no_connection:
    'The person has no active connection to this service, and your organisation has no default connection.',
  template_missing: 'The email template was deleted.',
  template_failed: 'The email template could not be rendered.',
  domain_not_verified: 'You have no verified domain. Add one under Domains.',
  outside_window: 'The person has not written within 24 hours, and the step has no template.',
  not_configured: 'Your organisation has no WhatsApp number or SMS provider.',
  read: 'The person has read the item, so the run ended.',
  seen: 'The person has seen the item, so the run ended.',
  archived: 'The person has archived the item, so the run ended.',
  workflow_removed: 'The workflow was deleted.',
  person_removed: 'The person was deleted.',
  key_revoked: 'The API key of the event was revoked.',
}

function moreOf(result: TracedStep): Content {
  const { reason, detail, state, due_at, said, text_locale, text_version, channel, message_id } = result
  const why = reason !== null && (explanations[reason] ?? html`Reason: <code>${reason}</code>.`)
  return [
    (why || detail) && html`<p class="flow-why">${why} ${detail && html`<span class="quiet">${detail}</span>`}</p>`,
    state === 'waiting' && due_at && html`<p class="quiet">Ends ${ago(due_at)}</p>`,
    said &&
      html`<blockquote><strong>${said.title}</strong>${said.body !== null && html`<span>${said.body}</span>`}</blockquote>`,
    text_locale && html`<p class="quiet">Text in <code>${text_locale}</code>, version ${text_version ?? ''}</p>`,
    message_id && html`<p>${messageLink(channel, message_id)}</p>`,
  ]
}

export const messagePaths: Readonly<Record<string, string>> = {
  email: '/app/mail/',
  push: '/app/push/messages/',
  sms: '/app/sms/messages/',
}

function messageLink(channel: string | null, id: string): Html {
  const path = channel === null ? undefined : messagePaths[channel]
  return path ? html`<a href="${path}${id}">Show message</a>` : shortId(id, { of: 'message ID' })
}
