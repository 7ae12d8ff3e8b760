import type { Fault } from '#lib/errors.ts'
import type * as contacts from '#sql/email/contacts.ts'
import type { Stream } from '#sql/email/messages.ts'
import type * as templates from '#sql/email/templates.ts'
import { type MessageInput, type Parts, renderParts } from './message-parts.ts'
import { getConfirmUrl, getReader } from './message-reader.ts'

interface PartsRequest extends Omit<MessageInput, 'template_id'> {
  message: { stream: Stream; template_id?: string | null | undefined; topic?: string | null | undefined }
  to: string
  rendered?: Parts | { faults: Fault[] } | undefined
  confirmUrl?: ((messageId: string) => string) | undefined
  unsubscribeUrl?: ((messageId: string) => string) | undefined
}

/** Returns the parts that were rendered before. A template that was deleted since then is refused. */
export function getParts(
  wanted: PartsRequest,
  template: templates.Template | undefined,
  contact: contacts.Contact | undefined,
  id: string,
): Parts | { faults: Fault[] } {
  const { rendered, message, confirmUrl } = wanted
  if (rendered && ('faults' in rendered || template)) return rendered
  const given = { ...wanted, template_id: message.template_id ?? undefined }
  const url = getConfirmUrl({ stream: message.stream, confirmUrl }, id)
  return renderParts(given, template, url, getReader(wanted, contact, id))
}
