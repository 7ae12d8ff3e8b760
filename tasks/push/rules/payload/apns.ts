import { mergeJson } from './merge.ts'
import type { PayloadParts } from './parts.ts'
import { isSilent } from './text.ts'

/**
 * Returns the payload for APNs. `mutable-content` lets the app’s service extension load the image. iOS shows the
 * buttons of the category; the message’s buttons are included for the app.
 */
export function createApnsPayload({ text, marks, parts, override }: PayloadParts): Record<string, unknown> {
  const { title, body, data } = text
  const { actions, ios = {} } = parts
  const image = ios.image ?? text.image
  const alert = { ...(title !== undefined && { title }), ...(body !== undefined && { body }) }
  const shown = isSilent(text) ? { 'content-available': 1 } : { alert, ...(image && { 'mutable-content': 1 }) }
  const aps = { ...shown, ...createAps(parts) }
  return mergeJson(
    { aps, ...(data && { data }), ...(image && { image }), ...(actions && { actions }), push: marks },
    override,
  )
}

/** Returns the fields for iOS within `aps`. */
export function createAps({ badge, sound, ios = {} }: PayloadParts['parts']): Record<string, unknown> {
  const { category, thread_id } = ios
  const [number, tone] = [ios.badge ?? badge, ios.sound ?? sound]
  return {
    ...(number !== undefined && { badge: number }),
    ...(tone !== undefined && { sound: tone }),
    ...(category !== undefined && { category }),
    ...(thread_id !== undefined && { 'thread-id': thread_id }),
  }
}
