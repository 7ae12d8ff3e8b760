/** Removes the characters that XML 1.0 §2.2 does not allow. */
export const cleanXmlText = (text: string): string =>
  text.replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Escapes a text as HTML within XML. Feed readers display the title and description of an RSS item as HTML. */
export const feedText = (text: string): string =>
  cleanXmlText(text).replace(/[&<>]/g, (sign) => escapes[sign] as string)
