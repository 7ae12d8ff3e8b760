import type { Template } from '#sql/whatsapp/templates.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'

type Reviewed = Pick<Template, 'status' | 'reason'>

export const templateState = ({ status, reason }: Reviewed): Html =>
  html`${statusBadge(status.toLowerCase())}${reason && reason !== 'NONE' && html` <span class="quiet">${reason}</span>`}`

const todos: Readonly<Record<string, string>> = {
  APPROVED: 'You can send this template.',
  PENDING: 'Meta is reviewing the template. This page updates when the review ends.',
  REJECTED: 'Meta rejected the template. Submit a copy with another name and text, in accordance with the reason.',
  PAUSED: 'Meta paused the template because people blocked or reported it. Meta resumes it later.',
  DISABLED: 'Meta disabled the template for good. Submit a new one.',
}

/** Returns what the state of a review means, and what to do. */
export const explainReview = ({ status }: Reviewed): string =>
  todos[status] ?? 'See Meta’s Business Manager for the state of the template.'
