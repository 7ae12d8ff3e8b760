import type * as attempts from '#sql/email/delivery/attempts.ts'
import { formatReply } from '#tasks/email/rules/replies/deciding-reply.ts'
import { dataTable } from '../http/html/data-table.ts'
import { formatInstant } from '../http/html/format.ts'
import { type Html, html } from '../http/html/html.ts'

/** Renders the SMTP dialogue of a delivery attempt. */
export const attemptTable = (one: attempts.Attempt): Html =>
  dataTable(
    {
      caption: html`Attempt ${one.number}: ${one.outcome} <span class="quiet">by ${one.mx_host ?? 'no server'}${one.mx_address && ` (${one.mx_address})`}
from ${one.local_address || 'default'}, ${one.tls ? `${one.tls.version}${one.tls.verified ? ', verified' : ''}` : 'no TLS'}, ${formatInstant(one.started_at)} UTC</span>`,
      captioned: true,
    },
    one.replies,
    {
      Stage: ['', ({ stage }) => stage],
      Reply: ['wide break', (reply) => html`<code>${formatReply(reply)}</code>`],
      Time: ['number', ({ ms }) => `${Math.round(ms)} ms`],
    },
  )
