/** Maximum number of characters of a barcode. PDF417 has up to 1,850 text characters. */
const mostCharacters = 4_000

/** Maximum number of elements, and maximum length of a value. The longest field of the standard has 108 characters. */
const [mostElements, longestValue] = [200, 200]

export interface Card {
  /** Issuer identification number, and version of the standard. */
  iin: string
  version: number
  type: 'DL' | 'ID'
  /** Values by element ID, for example `DAQ`. */
  elements: ReadonlyMap<string, string>
}

const isDigits = (text: string) => text !== '' && [...text].every((one) => one >= '0' && one <= '9')

const isId = (text: string) =>
  text.length === 3 &&
  [...text].every((one) => (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9')) &&
  text.charAt(0) >= 'A'

/**
 * Reads the file header and the elements of the subfile `DL` or `ID` (AAMVA DL/ID Card Design Standard, annex D.12).
 * Some issuers write wrong offsets, so lines are read instead. Returns `null` for other data.
 */
export function readCard(text: string): Card | null {
  if (text.length > mostCharacters || !text.startsWith('@')) return null
  const at = text.indexOf('ANSI ')
  const head = at === -1 || at > 10 ? text.indexOf('AAMVA') : at
  if (head === -1 || head > 10) return null
  const iin = text.slice(head + 5, head + 11)
  const version = text.slice(head + 11, head + 13)
  if (!isDigits(iin) || iin.length < 6 || !isDigits(version)) return null
  const body = text.slice(head + 13)
  const type = body.includes('DLDA') || body.includes('DLDC') || body.includes('DLDB') ? 'DL' : 'ID'
  const from = findData(body, type)
  if (from === -1) return null
  return { iin, version: Number(version), type, elements: readElements(body.slice(from)) }
}

/** Returns the position of the first element: the subfile's name is repeated in front of it. */
function findData(body: string, type: string): number {
  for (let at = body.indexOf(type); at !== -1; at = body.indexOf(type, at + 1)) {
    if (body.charAt(at + 2) === 'D' && isId(body.slice(at + 2, at + 5))) return at + 2
  }
  return -1
}

function readElements(data: string): Map<string, string> {
  const elements = new Map<string, string>()
  for (const line of data.replaceAll('\r', '\n').replaceAll('\u001e', '\n').split('\n')) {
    // A subfile of the issuer starts with Z. It has no standard elements.
    if (line.startsWith('Z')) break
    const id = line.slice(0, 3)
    if (isId(id) && !elements.has(id) && elements.size < mostElements)
      elements.set(id, line.slice(3, 3 + longestValue).trim())
  }
  return elements
}
