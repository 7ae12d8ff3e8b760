import { z } from 'zod'
import { publicUrl } from '#lib/config.ts'
import { type Fault, Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as contents from '#sql/email/contents.ts'
import * as rows from '#sql/email/messages.ts'
import { acceptMessages } from '#tasks/email/rules/accept-messages.ts'
import { unsubscribeUrl } from '#tasks/email/rules/consent/unsubscribe-link.ts'
import { repeatMessage } from '#tasks/email/rules/repeat-message.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { Accepted, toSendResponse } from './messages/accepting.ts'
import { contentDeleted, createContentDeleted } from './messages/content.ts'
import { filterByReach } from './messages/reach.ts'
import { createLimitProblem, monthlyLimitKind, refusals } from './messages/refusals.ts'
import { isSandbox, sandboxLimit } from './messages/sandbox.ts'
import { toUnavailable } from './templates/rendering.ts'

const isWaiting = problem(409, 'message_waiting', 'The message is scheduled or waiting for delivery.')

const notResendable = problem(
  409,
  'not_resendable',
  'The stream is `repermission`, the topic was deleted, or the Liquid campaign cannot be rendered again.',
)

/** Maximum number of concurrent calls per process, and per organisation. Contents with attachments are large. */
const atOnce = { requests: 8, ofOne: 4 }

export const create = route({
  method: 'POST',
  path: '/messages/{id}/resend',
  summary: 'Send a message again',
  description:
    'Queues a new message with the same content to the same recipient, but not to its copies. Domain, consent, suppressions, plan and budget are checked again. With the header `Idempotency-Key`, a repeated request sends nothing twice.',
  scope: 'email:send',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  params: z.object({ id: pathId('message') }),
  idempotent: true,
  atOnce,
  status: 202,
  reply: Accepted.extend({ resent_from: Id.describe('The original message') }),
  problems: ['not_found', contentDeleted, isWaiting, notResendable, ...refusals, monthlyLimitKind, sandboxLimit],
  async handle({ params, org, key, services, db }) {
    const message = await mustFind(filterByReach(key, rows.find(db, org.id, params.id)), 'message')
    checkRepeatable(message)
    const [content] = await contents.findContents(db, [message.content_id])
    if (!content) throw createContentDeleted(message)
    const secret = services(signingSecret)
    const repeated = repeatMessage(db, message, content, {
      key_id: key.id,
      // A test message stays a test message, also with a live key.
      sandbox: message.sandbox || isSandbox(key),
      fromDomains: key.locks.from_domains,
      unsubscribeUrl: (id) => unsubscribeUrl(publicUrl(), id, secret),
    })
    const wanted = await repeated.catch(toUnavailable)
    const [one] = await acceptMessages(db, [wanted])
    if (!one) throw new Error('A message was neither accepted nor rejected.')
    if ('faults' in one) throw createNotResendable(one.faults)
    const answer = toSendResponse(one, 'overCap' in one ? await createLimitProblem(db, org.id) : undefined)
    if (answer instanceof Problem) throw answer
    return { ...answer, resent_from: message.id }
  },
})

function createNotResendable(faults: readonly Fault[]): Problem {
  const fault = faults.find(({ field }) => field === 'params.id')
  const reason = fault ? `This message ${fault.issue}.` : 'The topic of this message was deleted.'
  return notResendable(`${reason} Send a new message.`)
}

function checkRepeatable({ status, stream }: rows.Message): void {
  if (stream === 'repermission') {
    throw notResendable(
      'A `repermission` message has a confirmation link of its own. Send a new message with `POST /send/v1/messages`.',
    )
  }
  if (status === 'scheduled' || status === 'queued' || status === 'deferred') {
    throw isWaiting(`The message is ${status}. Wait until it has a final status, or cancel it first.`, { status })
  }
}
