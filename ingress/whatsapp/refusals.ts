import { Problem } from '#lib/errors.ts'
import type { MessageError } from '#sql/whatsapp/messages.ts'
import { problem } from '../http/problem-kinds.ts'
import { notConfigured } from './settings.ts'

export const outsideWindow = problem(
  400,
  'outside_service_window',
  'The recipient has not written within the last 24 hours. Send a template message instead.',
)

export const wrongParameters = problem(
  400,
  'template_parameters',
  'The parameters do not match the variables of the template.',
)

export const numberRefused = problem(400, 'number_refused', 'WhatsApp rejected the credentials of your number.')

export const sendProblems = [
  notConfigured,
  'upstream_error',
  outsideWindow,
  problem(400, 'invalid_message', 'WhatsApp rejected this message.'),
  problem(400, 'recipient_unreachable', 'The recipient cannot be reached on WhatsApp.'),
  problem(400, 'recipient_opted_out', 'The recipient does not accept marketing messages.'),
  problem(400, 'number_removed', 'The number was removed before the message was sent.'),
  numberRefused,
  problem(400, 'file_not_clean', 'A file of the message was deleted or is no longer clean.'),
] as const

export const templatePaused = problem(400, 'template_paused', 'Meta paused the template because of its low quality.')

export const templateDisabled = problem(
  400,
  'template_disabled',
  'Meta disabled the template because of its low quality.',
)

export const templateNotApproved = problem(
  400,
  'template_not_approved',
  'WhatsApp has not approved the template. It cannot be sent.',
)

export const templateProblems = [
  wrongParameters,
  problem(400, 'template_not_found', 'This template does not exist in this language.'),
  problem(400, 'template_text_too_long', 'The template is too long with these parameters.'),
  problem(400, 'template_policy', 'WhatsApp reports that the template violates its policies.'),
  templatePaused,
  templateDisabled,
  templateNotApproved,
] as const

export function toSendProblem(error: MessageError, messageId?: string): Problem {
  const { status, code, message, provider_code, retryable, retry_after, upstream_status } = error
  return new Problem(status, code, message, {
    details: {
      provider: 'whatsapp',
      provider_code,
      upstream_status,
      retryable,
      ...(messageId !== undefined && { message_id: messageId }),
    },
    ...(retry_after !== null && { retryAfter: retry_after }),
  })
}
