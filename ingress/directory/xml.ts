/** Text without the characters that no XML 1.0 document may hold (§2.2). */
export const xmlText = (text: string): string =>
  text.replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
