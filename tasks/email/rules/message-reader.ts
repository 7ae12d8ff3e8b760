import type { Contact } from '#sql/email/contacts.ts'
import type { Stream } from '#sql/email/messages.ts'
import type { Reader } from './message-parts.ts'

interface Links {
  /** Returns the confirmation URL of a message. Required for the stream `repermission`. */
  confirmUrl?: ((messageId: string) => string) | undefined
  /** Returns the unsubscribe URL of a message. Used for placeholders in marketing. */
  unsubscribeUrl?: ((messageId: string) => string) | undefined
}

/** Returns the confirmation URL of a `repermission` message. Undefined for other streams. */
export function getConfirmUrl(
  { stream, confirmUrl }: { stream: Stream } & Pick<Links, 'confirmUrl'>,
  id: string,
): string | undefined {
  if (stream !== 'repermission') return undefined
  if (!confirmUrl) throw new Error('A message on the `repermission` stream has no confirmation page.')
  return confirmUrl(id)
}

/** Returns what a message can show about its recipient. */
export function getReader(
  { to, message: { stream, topic }, unsubscribeUrl }: Links & {
    to: string
    message: { stream: Stream; topic?: string | null | undefined }
  },
  contact: Pick<Contact, 'name' | 'attributes'> | undefined,
  id: string,
): Reader {
  const canUnsubscribe = stream === 'subscribed' || stream === 'repermission' || Boolean(topic)
  const { name = null, attributes = {} } = contact ?? {}
  return {
    contact: { email: to, ...(contact && { name, attributes }) },
    unsubscribeUrl: canUnsubscribe ? unsubscribeUrl?.(id) : undefined,
  }
}
