import { merge } from './merge.ts'
import type { PayloadParts } from './parts.ts'

/** What a service worker, or a reader of the event stream, gets as JSON. */
export function webpushPayload({ text, marks, override }: PayloadParts): Record<string, unknown> {
  const { title, body, data, image } = text
  const shown = { ...(title !== undefined && { title }), ...(body !== undefined && { body }), ...(image && { image }) }
  return merge({ ...shown, data: data ?? {}, push: marks }, override)
}
