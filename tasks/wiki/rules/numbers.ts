import { tokenise } from './normal-text.ts'

const scales: Record<string, number> = { thousand: 3, million: 6, mln: 6, mio: 6, billion: 9, bn: 9, trillion: 12 }

/** Returns the numbers of a text with all readings: 1.500 can be 1500 or 1.5. Parts of numbers do not count. */
export function findNumbers(text: string): ReadonlySet<string>[] {
  const tokens = tokenise(text)
  return tokens.flatMap((token, i) => {
    const zeros = scales[tokens[i + 1]?.toLowerCase() ?? ''] ?? 0
    return partsOf(token).map((part) => new Set(listReadings(part).map((one) => shifted(one, zeros))))
  })
}

/** Splits ranges, and removes units after a number, as in 10km and 10-year. */
const partsOf = (token: string): string[] =>
  token.split(/(?<=\p{Nd})-(?=\p{Nd})/u).map((part) => part.replace(/(?<=\p{Nd})-?\p{L}[\p{L}\p{M}'-]*$/u, ''))

/**
 * Returns the possible values of a number as decimals without extra zeros, the most likely last. Empty if it is not a
 * number.
 */
export function listReadings(token: string): string[] {
  const [, sign = '', given] = /^([+-]?)(\p{Nd}[\p{Nd}.,'\u00a0]*)$/u.exec(token) ?? []
  if (given === undefined) return []
  const digits = asciiDigits(given).replace(/['\u00a0]/g, '')
  const marks = [...new Set(digits.match(/[.,]/g))]
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','))
  const [whole, part] = last < 0 ? [digits, ''] : [digits.slice(0, last), digits.slice(last + 1)]
  const once = !whole.includes(digits[last] ?? ' ')
  const found = [
    ...(last < 0 ? [plain(sign, digits, '')] : []),
    ...(last >= 0 && once && isGrouped(whole) ? [plain(sign, whole, part)] : []),
    ...(marks.length === 1 && isGrouped(digits) && !/^0/.test(digits) ? [plain(sign, digits, '')] : []),
  ]
  return [...new Set(found)]
}

/** True if separators group the digits by three, or as in India by two before the last three. */
const isGrouped = (digits: string): boolean =>
  !/[.,]/.test(digits) || /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*$|^\d{1,2}(?:,\d{2})+,\d{3}$/.test(digits)

function plain(sign: string, whole: string, part: string): string {
  const [integer, fraction] = [whole.replace(/[.,]/g, '').replace(/^0+(?=\d)/, ''), withoutZeros(part)]
  const number = fraction ? `${integer}.${fraction}` : integer
  return sign === '-' && number !== '0' ? `-${number}` : number
}

function withoutZeros(part: string): string {
  let end = part.length
  while (part[end - 1] === '0') end--
  return part.slice(0, end)
}

function shifted(decimal: string, zeros: number): string {
  if (zeros === 0) return decimal
  const [, sign = '', whole = '', part = ''] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(decimal) ?? []
  const moved = part.padEnd(zeros, '0')
  return plain(sign, whole + moved.slice(0, zeros), moved.slice(zeros))
}

/** Converts digits of any script to ASCII. Each script has its ten digits in a row. */
const asciiDigits = (text: string): string =>
  text.replace(/(?!\d)\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) as number
    let value = 0
    while (value < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(code - value - 1))) value++
    return String(value)
  })
