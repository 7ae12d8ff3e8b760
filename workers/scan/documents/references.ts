/** Named references by which an address is taken apart. */
const named: Record<string, string> = { tab: '\t', newline: '\n', colon: ':', lpar: '(', amp: '&' }

/** A text whose character references (XML 1.0, 4.1; HTML, 13.5) are the characters they stand for. */
export const withoutReferences = (text: string): string =>
  text.replace(/&(?:#0*(\d{1,7})|#x0*([0-9a-f]{1,6})|(tab|newline|colon|lpar|amp));?/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return named[String(name).toLowerCase()] ?? all
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : all
  })
