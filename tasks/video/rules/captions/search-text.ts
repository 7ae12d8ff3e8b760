/**
 * Text search configurations of Postgres by language. Other languages are searched word by word, without their
 * inflections.
 */
const configurations: Readonly<Record<string, string>> = {
  ar: 'arabic',
  da: 'danish',
  de: 'german',
  en: 'english',
  es: 'spanish',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hu: 'hungarian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  nb: 'norwegian',
  ne: 'nepali',
  nl: 'dutch',
  nn: 'norwegian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
}

export const searchConfiguration = (language: string): string =>
  configurations[language.split('-')[0]?.toLowerCase() ?? ''] ?? 'simple'

/** Control characters that no compared text contains: between characters of spaceless scripts, and around found words. */
const [joint, markStart, markEnd] = [0x1f, 0x02, 0x03].map((code) => String.fromCharCode(code)) as [
  string,
  string,
  string,
]

/** Options of `ts_headline` that mark found words in the whole text. */
export const markOptions = `HighlightAll=true, StartSel="${markStart}", StopSel="${markEnd}"`

const spaceless = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]\p{M}*/gu

const spacelessRun =
  /(?:[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]\p{M}*){2,}/gu

/** Accents of Latin, Greek and Cyrillic letters. */
const accents = /[\u0300-\u036f]/g

const comparable = (text: string): string =>
  text
    .replace(/\p{Cc}/gu, ' ')
    .normalize('NFD')
    .replace(accents, '')
    .normalize('NFC')

/** Returns the text that a search compares: without accents, and with joints around characters of spaceless scripts. */
export const searchable = (text: string): string =>
  comparable(text).replace(spaceless, (character) => `${joint}${character}${joint}`)

/** Returns a query in the syntax of `websearch_to_tsquery`. Characters of spaceless scripts must follow each other. */
export function searchQuery(query: string): string {
  const plain = comparable(query)
  const phrases = plain.includes('"') ? plain : plain.replace(spacelessRun, (run) => `"${run}"`)
  return phrases.replace(spaceless, (character) => `${joint}${character}${joint}`)
}

export interface FoundPart {
  text: string
  found: boolean
}

/**
 * Returns the parts of a text that a search has found, from the compared text with marks. If the compared text has another
 * length than the text, returns the compared text.
 */
export function foundParts(text: string, marked: string): FoundPart[] {
  const [before = '', ...rest] = marked.replaceAll(joint, '').split(markStart)
  const pieces = [{ text: before, found: false }, ...rest.flatMap(partsOf)].filter((piece) => piece.text !== '')
  const compared = pieces.map((piece) => piece.text).join('')
  const written = compared.length === text.length ? text : compared
  let at = 0
  return pieces.map(({ found, text: { length } }) => {
    at += length
    return { found, text: written.slice(at - length, at) }
  })
}

function partsOf(piece: string): FoundPart[] {
  const [found = '', after = ''] = piece.split(markEnd)
  return [
    { text: found, found: true },
    { text: after, found: false },
  ]
}
