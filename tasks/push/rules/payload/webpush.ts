import { mergeJson } from './merge.ts'
import type { PayloadParts } from './parts.ts'

export function createWebpushPayload({ text, marks, parts, override }: PayloadParts): Record<string, unknown> {
  const { title, body, data } = text
  const shown = {
    ...(title !== undefined && { title }),
    ...(body !== undefined && { body }),
    ...getWebParts(text, parts),
  }
  return mergeJson({ ...shown, data: data ?? {}, push: marks }, override)
}

/** Returns the fields for browsers with the names that `showNotification` uses. A click opens `url`. */
export function getWebParts(
  { image: of }: { image?: string | undefined },
  { actions, web = {} }: PayloadParts['parts'],
) {
  const { icon, badge, url } = web
  const image = web.image ?? of
  return {
    ...(image && { image }),
    ...(icon && { icon }),
    ...(badge && { badge }),
    ...(url && { url }),
    ...(actions && { actions }),
  }
}
