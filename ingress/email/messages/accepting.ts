import { z } from 'zod'
import { publicUrl } from '#lib/config.ts'
import { toStoredForm } from '#lib/email-address.ts'
import { badRequest, type Problem, unavailable } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { TemplatesBusyError } from '#lib/liquid/render.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/email/messages.ts'
import type { AcceptResult, MessageRequest } from '#tasks/email/rules/accept-messages.ts'
import { confirmUrl, unsubscribeUrl } from '#tasks/email/rules/consent/unsubscribe-link.ts'
import { prerenderMessages } from '#tasks/email/rules/templates/prerender.ts'
import type { Services } from '../../http/container.ts'
import { Instant } from '../../http/instant.ts'
import { signingSecret } from '../../http/services.ts'
import type { MessageBody } from './body.ts'
import { createRefusal } from './refusals.ts'
import { createSandboxFull, isSandbox } from './sandbox.ts'

export const Accepted = z
  .object({
    accepted: z.literal(true),
    stream: rows.Stream,
    id: Id,
    status: rows.Status.describe(
      '`queued`, `scheduled` or `suppressed`. `sent` for a test key. With `Prefer: wait`, the status at the end of the wait.',
    ),
    message_id: z.string().describe('Message-ID, without angle brackets'),
    send_at: Instant.optional().describe('Scheduled send time. Only for scheduled messages.'),
    copies: z
      .array(z.object({ id: Id, recipient: rows.RecipientKind, to: z.string(), status: rows.Status }))
      .optional()
      .describe('Copies to `cc` and `bcc`, each with its own status'),
  })
  .meta({ id: 'email.Accepted' })

export type SendCall = Pick<Caller, 'org' | 'key' | 'plan'> & { body: MessageBody; services: Services }

export function toMessageRequest({ org, key, body, services }: Omit<SendCall, 'plan'>): MessageRequest {
  const { from, to, cc, bcc, subject, html, text, template, variables, send_at, idempotency_key, ...rest } = body
  const { reply_to, headers, attachments, ...columns } = rest
  return {
    message: { ...columns, org_id: org.id, key_id: key.id, sandbox: isSandbox(key) },
    content: { reply_to, headers, attachments },
    fromDomains: key.locks.from_domains,
    from: { ...from, email: toStoredForm(from.email) },
    to: toStoredForm(to),
    cc: cc?.map(toStoredForm),
    bcc: bcc?.map(toStoredForm),
    written: new Map(
      [from.email, to, ...(cc ?? []), ...(bcc ?? [])].map((address) => [toStoredForm(address), address]),
    ),
    subject,
    html,
    text,
    template,
    variables,
    sendAt: send_at === undefined ? undefined : new Date(send_at),
    confirmUrl: (id) => confirmUrl(publicUrl(), id, services(signingSecret)),
    unsubscribeUrl: (id) => unsubscribeUrl(publicUrl(), id, services(signingSecret)),
  }
}

/** Renders the templates of messages before their transaction. Throws 503 if too many templates wait. */
export async function prerender(db: Db, wanted: readonly MessageRequest[]): Promise<readonly MessageRequest[]> {
  try {
    return await prerenderMessages(db, wanted)
  } catch (error) {
    throw error instanceof TemplatesBusyError ? unavailable(error.message) : error
  }
}

/** Returns the response for a message. `limit` is the problem to return if the organisation has no messages left. */
export function toSendResponse(one: AcceptResult, limit: Problem | undefined): z.input<typeof Accepted> | Problem {
  if ('refusal' in one) return createRefusal(one.refusal)
  if ('faults' in one) return badRequest(one.faults)
  if ('sandboxFull' in one) return createSandboxFull()
  if ('overCap' in one) return limit as Problem
  const { id, stream, status, message_id, sendAt, copies } = one.message
  return {
    accepted: true,
    stream,
    id,
    status,
    message_id,
    ...(sendAt && { send_at: sendAt }),
    ...(copies.length > 0 && { copies: [...copies] }),
  }
}
