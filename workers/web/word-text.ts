type Piece = { tag: string; rest: string; ends: boolean; empty: boolean } | { text: string }

/** Yields the tokens of XML in one pass. The tokens are not nested, and no entity is declared or fetched. */
function* piecesOf(xml: string): Generator<Piece> {
  for (let at = 0; at < xml.length; ) {
    const open = xml.indexOf('<', at)
    if (open === -1) return
    if (open > at) yield { text: plain(xml.slice(at, open)) }
    const [start, close] = ['<!--', '<![CDATA[', '<?', '<'].flatMap((one, i) =>
      xml.startsWith(one, open) ? [[one, ['-->', ']]>', '?>', '>'][i] ?? '>'] as const] : [],
    )[0] ?? ['<', '>']
    const end = xml.indexOf(close, open + start.length)
    if (end === -1) return
    const inner = xml.slice(open + start.length, end)
    at = end + close.length
    if (start === '<![CDATA[') yield { text: inner }
    if (start === '<') yield tagOf(inner)
  }
}

/** Uses the local name, because writers can choose any prefix. */
function tagOf(inner: string): Piece {
  const ends = inner.startsWith('/')
  const empty = inner.endsWith('/')
  const body = inner.slice(ends ? 1 : 0, empty && !ends ? -1 : undefined).trim()
  const blank = body.search(/\s/)
  const name = blank === -1 ? body : body.slice(0, blank)
  return { tag: name.slice(name.indexOf(':') + 1), rest: blank === -1 ? '' : body.slice(blank), ends, empty }
}

const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

const plain = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(#x?[0-9a-f]{1,6}|lt|gt|amp|quot|apos);/gi, (_, name: string) => signOf(name))
    : text

function signOf(name: string): string {
  const known = named[name.toLowerCase()]
  if (known !== undefined) return known
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
}

export function textOfXml(xml: string, name: string): string {
  let inside = false
  let text = ''
  for (const piece of piecesOf(xml)) {
    if ('tag' in piece) inside = piece.tag === name ? !piece.ends && !piece.empty : inside
    else if (inside) text += piece.text
  }
  return text
}

const headingOf = (rest: string): number =>
  Number(/val="(?:heading|title)\s?([1-6])?"/i.exec(rest)?.[1] ?? (/val="title"/i.test(rest) ? 1 : 0))

/**
 * Returns the text of the main part of a document (ECMA-376 part 1, 17.3). Empty lines separate paragraphs, and
 * headings are as in Markdown. Omits deleted text (`delText`) and alternatives for old programs (`Fallback`).
 */
export function wordText(xml: string): string {
  const read: WordReading = { paragraphs: [], line: '', heading: 0, inText: false, fallbacks: 0 }
  for (const piece of piecesOf(xml)) {
    if ('tag' in piece) (Object.hasOwn(marks, piece.tag) ? marks[piece.tag] : undefined)?.(read, piece)
    else if (read.inText && read.fallbacks === 0) read.line += piece.text
  }
  return read.paragraphs.join('\n\n')
}

interface WordReading {
  paragraphs: string[]
  line: string
  heading: number
  inText: boolean
  fallbacks: number
}

type Mark = (read: WordReading, tag: Exclude<Piece, { text: string }>) => void

const breaks =
  (sign: string): Mark =>
  (read, { ends }) => {
    if (!ends) read.line += sign
  }

const marks: Readonly<Record<string, Mark | undefined>> = {
  Fallback(read, { ends, empty }) {
    if (!empty) read.fallbacks += ends ? -1 : 1
  },
  t(read, { ends, empty }) {
    read.inText = !(ends || empty)
  },
  pStyle(read, { rest }) {
    read.heading = headingOf(rest)
  },
  tab: breaks('\t'),
  br: breaks('\n'),
  cr: breaks('\n'),
  p(read, { ends, empty }) {
    if (!(ends || empty)) return
    const line = read.line.trim()
    if (line) read.paragraphs.push(`${read.heading > 0 ? `${'#'.repeat(read.heading)} ` : ''}${line}`)
    Object.assign(read, { line: '', heading: 0 })
  },
}
