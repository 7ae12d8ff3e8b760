/** Formats and check digits of company codes. */

/** Returns a code as its register writes it, or `null` if it is invalid. */
type Reader = (text: string) => string | null

const weighted = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, i) => sum + weight * Number(digits[i]), 0)

/**
 * Returns the sum modulo 11 with the first row of weights. If it is 10, uses the second row. If it is 10 again, returns
 * 0 (Estonia, Lithuania).
 */
function twiceModulo11(digits: string, first: readonly number[], second: readonly number[]): number {
  const once = weighted(digits, first) % 11
  return once === 10 ? (weighted(digits, second) % 11) % 10 : once
}

const demand = (text: string, shape: RegExp, check: (text: string) => boolean = () => true): string | null =>
  shape.test(text) && check(text) ? text : null

const registrikood = (text: string) =>
  twiceModulo11(text, [1, 2, 3, 4, 5, 6, 7], [3, 4, 5, 6, 7, 8, 9]) === Number(text[7])

const ytunnus = (digits: string) => {
  const rest = weighted(digits, [7, 9, 10, 5, 8, 4, 2]) % 11
  return rest !== 1 && (11 - rest) % 11 === Number(digits[7])
}

const latvian = (digits: string) => weighted(digits, [9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1]) % 11 === 3

const lithuanian = (digits: string) =>
  twiceModulo11(digits, [1, 2, 3, 4, 5, 6, 7, 8], [3, 4, 5, 6, 7, 8, 9, 1]) === Number(digits[8])

/** Readers by jurisdiction (ISO 3166-1 alpha-2, lower case). Other jurisdictions accept any code. */
const codes: Record<string, Reader> = {
  ee: (text) => demand(text, /^\d{8}$/, registrikood),
  gb: (text) => demand(/^\d{1,7}$/.test(text) ? text.padStart(8, '0') : text, /^(\d{8}|[A-Z]{2}\d{6})$/),
  fi: (text) => {
    const digits = demand(text.replace(/^(\d{6,7})-(\d)$/, '$1$2').padStart(8, '0'), /^\d{8}$/, ytunnus)
    return digits && `${digits.slice(0, 7)}-${digits[7]}`
  },
  // Codes that start with 0 to 3 are personal codes.
  lv: (text) => demand(text, /^[4-9]\d{10}$/, latvian),
  lt: (text) => demand(text, /^(\d{7}|\d{9})$/, (digits) => digits.length === 7 || lithuanian(digits)),
}

const modulo97 = (text: string): number =>
  [...text].reduce((rest, char) => Number(`${rest}${Number.parseInt(char, 36)}`) % 97, 0)

const british = (digits: string) => {
  const rest = weighted(digits, [8, 7, 6, 5, 4, 3, 2, 10, 1]) % 97
  // Numbers issued since 2010 have an offset of 55.
  return rest === 0 || rest === 42
}

const estonian = (digits: string) => (10 - (weighted(digits, [3, 7, 1, 3, 7, 1, 3, 7]) % 10)) % 10 === Number(digits[8])

const vatNumbers: Record<string, (digits: string) => boolean> = {
  EE: (digits) => /^\d{9}$/.test(digits) && estonian(digits),
  FI: (digits) => /^\d{8}$/.test(digits) && ytunnus(digits),
  GB: (digits) => /^\d{9}(\d{3})?$/.test(digits) && british(digits),
  LV: (digits) => /^\d{11}$/.test(digits) && (digits[0] as string) > '3' && latvian(digits),
  LT: (digits) => /^(\d{9}|\d{12})$/.test(digits),
}

/** Returns only upper-case letters and digits, because codes are written with spaces, dots and dashes. */
export const compact = (text: string): string => text.replace(/[\s.‐-―-]/g, '').toUpperCase()

export function readCode(jurisdiction: string, text: string): string | null {
  const code = text.trim().replace(/\s+/g, ' ').toUpperCase()
  const read = codes[jurisdiction]
  if (read) return read(code)
  return demand(code, /^[\p{L}\p{N}][\p{L}\p{N} ./_-]{0,39}$/u)
}

export function readVatNumber(text: string): string | null {
  const number = compact(text)
  const check = vatNumbers[number.slice(0, 2)]
  return demand(number, /^[A-Z]{2}[A-Z0-9+*]{2,13}$/, () => check?.(number.slice(2)) ?? true)
}

/**
 * Returns a legal entity identifier (ISO 17442): 20 letters and digits with remainder 1 modulo 97. `null` if it is
 * invalid.
 */
export const readLei = (text: string): string | null =>
  demand(compact(text), /^[A-Z0-9]{18}\d{2}$/, (lei) => modulo97(lei) === 1)

/** Returns all codes that a text could be. */
export function listPossibleCodes(text: string): string[] {
  const plain = text.trim().replace(/\s+/g, ' ').toUpperCase()
  const readings = Object.values(codes).map((read) => read(plain))
  return [...new Set([plain, compact(text), ...readings.filter((code) => code !== null)])]
}
