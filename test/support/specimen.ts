import sharp from 'sharp'

interface Specimen {
  state: string
  surname: string
  given: string
  number: string
  birth: string
  sex: 'M' | 'F' | '<'
  expiry: string
  optional?: string
}

/** The published specimen of ICAO 9303-4. */
export const anna: Specimen = {
  state: 'UTO',
  surname: 'ERIKSSON',
  given: 'ANNA<MARIA',
  number: 'L898902C3',
  birth: '740812',
  sex: 'F',
  expiry: '120415',
  optional: 'ZE184226B',
}

/** Computes the check digit (ICAO 9303-3, 4.9) with character codes, independently of the tested code. */
function digit(text: string): number {
  let sum = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const value = code === 60 ? 0 : code < 58 ? code - 48 : code - 55
    sum += value * ([7, 3, 1][i % 3] as number)
  }
  return sum % 10
}

const filled = (text: string, length: number) => text.padEnd(length, '<').slice(0, length)
const withDigit = (text: string) => `${text}${digit(text)}`

export function td3({ state, surname, given, number, birth, sex, expiry, optional = '' }: Specimen): string[] {
  const [no, born, ends, more] = [
    withDigit(filled(number, 9)),
    withDigit(birth),
    withDigit(expiry),
    withDigit(filled(optional, 14)),
  ]
  const all = digit(`${no}${born}${ends}${more}`)
  return [filled(`P<${state}${surname}<<${given}`, 44), `${no}${state}${born}${sex}${ends}${more}${all}`]
}

/** Lines of a card in credit-card size. A number of more than nine characters continues in the optional data. */
export function td1({ state, surname, given, number, birth, sex, expiry }: Specimen): string[] {
  const isLong = number.length > 9
  const upper = isLong
    ? filled(`${number.slice(0, 9)}<${number.slice(9)}${digit(number)}`, 25)
    : filled(withDigit(filled(number, 9)), 25)
  const [born, ends] = [withDigit(birth), withDigit(expiry)]
  const all = digit(`${upper}${born}${ends}${'<'.repeat(11)}`)
  return [
    `I<${state}${upper}`,
    `${born}${sex}${ends}${state}${'<'.repeat(11)}${all}`,
    filled(`${surname}<<${given}`, 30),
  ]
}

export function td2({ state, surname, given, number, birth, sex, expiry }: Specimen): string[] {
  const [no, born, ends] = [withDigit(filled(number, 9)), withDigit(birth), withDigit(expiry)]
  const all = digit(`${no}${born}${ends}${'<'.repeat(7)}`)
  return [filled(`I<${state}${surname}<<${given}`, 36), `${no}${state}${born}${sex}${ends}${'<'.repeat(7)}${all}`]
}

/** A page of a made-up document with these lines, as PNG. */
export async function pageOf(lines: readonly string[], names = 'SPECIMEN'): Promise<Buffer> {
  const size = Math.min(44, 1150 / ((lines[0]?.length ?? 44) * 0.723))
  const text = (x: number, y: number, what: string, font: string, px: number) =>
    `<text x="${x}" y="${y}" font-family="${font}" font-size="${px}" xml:space="preserve">${what.replaceAll('<', '&lt;')}</text>`
  const zone = lines.map((line, i) => text(45, 830 - (lines.length - 1 - i) * 72, line, 'OCR B', size)).join('')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1250" height="880"><rect width="1250" height="880" fill="#f1ecdf"/>
<rect x="60" y="130" width="330" height="430" fill="#b9c4cc"/>${text(60, 90, 'UTOPIA', 'sans-serif', 40)}
${text(430, 180, names, 'sans-serif', 30)}${text(430, 250, 'Utopian', 'sans-serif', 26)}${zone}</svg>`
  return await sharp(Buffer.from(svg)).png().toBuffer()
}

/** A page on a table, rotated by some degrees, as JPEG. */
export async function photoOf(page: Buffer, degrees = 0): Promise<Buffer> {
  const background = '#4a4f55'
  const around = { top: 90, bottom: 120, left: 70, right: 140, background }
  return await sharp(page).rotate(degrees, { background }).extend(around).jpeg({ quality: 85 }).toBuffer()
}
