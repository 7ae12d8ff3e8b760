import type { Thread } from '#sql/account/usage/request-thread.ts'
import { ago, duration, formatInstant } from '../../http/html/format.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'
import { mark } from '../../http/html/marks.ts'
import { emptyState } from '../../http/html/parts.ts'

export function threadView({ jobs, failures, email, push, webhooks }: Thread, contents: boolean): Html {
  const steps = [
    ...jobs.map(jobOf),
    ...failures.map((one) =>
      step(
        `Job ${one.task}`,
        html`${mark('failed')} attempt ${one.attempt}${one.final && ', the last'} <span class="quiet">${ago(one.ended_at)}</span>`,
      ),
    ),
    ...email.map((one) => mailOf(one, contents)),
    ...push.map(pushOf),
    ...webhooks.map(webhookOf),
  ]
  if (steps.length === 0) return emptyState('This request has no recorded jobs, attempts or provider responses.')
  return html`<ol class="thread">${steps}</ol>`
}

const step = (title: Content, words: Content, more?: Content): Html =>
  html`<li><p><strong>${title}</strong> ${words}</p>${more}</li>`

const jobOf = ({ task, state, created_at, attempts }: Thread['jobs'][number]): Html =>
  step(
    `Job ${task}`,
    html`${mark(state)} <span class="quiet">${ago(created_at)}</span>`,
    attempts.length > 0 &&
      html`<ul>${attempts.map(({ attempt, started_at, ended_at, outcome }) => html`<li>attempt ${attempt}: ${outcome === null ? 'in progress' : mark(outcome)} <span class="quiet">${formatInstant(started_at)} UTC${ended_at && `, ${lasted(started_at, ended_at)}`}</span></li>`)}</ul>`,
  )

const lasted = (from: Date, to: Date): string => duration((to.getTime() - from.getTime()) / 1000)

const mailOf = (one: Thread['email'][number], contents: boolean): Html =>
  step(
    `Email, attempt ${one.number}`,
    html`${one.outcome} <span class="quiet">${one.mx_host ?? 'no server'}, ${formatInstant(one.started_at)} UTC, ${lasted(one.started_at, one.ended_at)}</span>`,
    contents &&
      one.replies.length > 0 &&
      html`<pre tabindex="0">${one.replies.map((reply) => `${JSON.stringify(reply)}\n`)}</pre>`,
  )

const pushOf = (one: Thread['push'][number]): Html =>
  step(
    `Push, attempt ${one.number}`,
    html`${one.outcome}${one.provider_status !== null && `, response ${one.provider_status}`}${one.reason && `: ${one.reason}`} <span class="quiet">${ago(one.created_at)}</span>`,
  )

const webhookOf = (one: Thread['webhooks'][number]): Html =>
  step(
    html`<a href="/app/webhooks/${one.endpoint_id}">Webhook</a> ${one.type}`,
    html`${one.status}${one.response_status !== null && `, response ${one.response_status}`} <span class="quiet">${one.attempts} attempts${one.attempted_at && html`, ${ago(one.attempted_at)}`}</span>`,
  )
