import type { Content } from '#sql/push/messages.ts'
import type { Text } from '#sql/push/templates.ts'

export interface DeviceText extends Text {
  image?: string | undefined
}

/**
 * Returns the text of a message in a device’s language. For a template: the exact language (`de-AT`), the main language
 * (`de`), or the default.
 */
export function selectText(content: Content, locale: string | null): DeviceText {
  const { image, texts } = content
  if (!texts) return { title: content.title, body: content.body, data: content.data, image }
  const names = [locale ?? '', (locale ?? '').split('-')[0] ?? '', content.default_locale ?? '']
  const name = names.map((wanted) => nameIn(texts, wanted)).find((found) => found !== undefined)
  const text = name === undefined ? {} : (texts[name] ?? {})
  return { ...text, data: { ...text.data, ...content.data }, image }
}

/** Returns the template’s spelling of a language. Case is ignored (RFC 5646 §2.1.1). */
const nameIn = (texts: Readonly<Record<string, Text>>, wanted: string): string | undefined =>
  Object.keys(texts).find((name) => name.toLowerCase() === wanted.toLowerCase())

/** True if no notification is shown: the app receives data in the background. */
export const isSilent = ({ title, body }: DeviceText): boolean => title === undefined && body === undefined
