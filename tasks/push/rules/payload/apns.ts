import { merge } from './merge.ts'
import type { PayloadParts } from './parts.ts'
import { isSilent } from './text.ts'

/** The payload for APNs; `mutable-content` lets the app's service extension fetch the image. */
export function apnsPayload({ text, marks, override }: PayloadParts): Record<string, unknown> {
  const { title, body, data, image } = text
  const alert = { ...(title !== undefined && { title }), ...(body !== undefined && { body }) }
  const aps = isSilent(text) ? { 'content-available': 1 } : { alert, ...(image && { 'mutable-content': 1 }) }
  return merge({ aps, ...(data && { data }), ...(image && { image }), push: marks }, override)
}
