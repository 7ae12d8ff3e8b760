import type { Inspection } from '../inspection.ts'
import type { Inner, Opened } from '../opened.ts'
import { chunksOf, type Source } from '../source.ts'

/** What stands before encoded bytes, on a line of its own (POSIX uuencode): the way, the mode, and the name of the file. */
const beginning = /^begin(-base64)? [0-7]{3,4} (.+)$/
const longestLine = 1024

/** Hands out the files that a text holds by uuencode, as its reader takes them from anywhere in it. */
export async function openUuencoded(inspection: Inspection, source: Source): Promise<Opened> {
  return { type: 'text/x-uuencode', holder: 'archive', inners: filesIn(inspection, source) }
}

async function* filesIn(inspection: Inspection, source: Source): AsyncGenerator<Inner> {
  for await (const { text, end } of linesOf(source, 0)) {
    if (!text.startsWith('begin')) continue
    const [, base64, name] = beginning.exec(text) ?? []
    if (name === undefined) continue
    const open = () => decoded(source, end, base64 === undefined ? line : base64Line)
    // A text may speak of it: what follows is encoded, or it is no file.
    const first = await open().next()
    if (first.done) continue
    inspection.enter()
    yield { names: [name], size: null, source: null, open }
  }
}

/** The lines of a source from a place on, without their ends, and where each ends; longer ones are cut. */
async function* linesOf(source: Source, start: number): AsyncGenerator<{ text: string; end: number }> {
  let kept = ''
  let at = start
  for await (const chunk of chunksOf(source, start)) {
    const text = kept + chunk.toString('latin1')
    let from = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      yield { text: text.slice(from, Math.min(end, from + longestLine)).replace(/\r$/, ''), end: at + end + 1 }
      from = end + 1
    }
    kept = text.slice(from)
    at += from
    if (kept.length > longestLine) {
      // What is no line is passed over, but for its end.
      at += kept.length - 1
      kept = kept.slice(-1)
    }
  }
  if (kept !== '') yield { text: kept.replace(/\r$/, ''), end: source.size }
}

type Decode = (text: string) => Buffer | null

/** Lines as long as they are decoded, gathered to chunks. */
async function* decoded(source: Source, start: number, decode: Decode): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  for await (const { text } of linesOf(source, start)) {
    const bytes = decode(text)
    if (bytes === null) break
    held.push(bytes)
    if (held.length === linesAtOnce) {
      yield Buffer.concat(held)
      held = []
    }
  }
  if (held.length > 0) yield Buffer.concat(held)
}

const linesAtOnce = 1024

/** One line: how many bytes it has, then four characters for each three of them, six bits a character; null where it is no such line. */
function line(text: string): Buffer | null {
  const size = (text.charCodeAt(0) - 32) & 63
  const groups = Math.ceil(size / 3)
  if (size === 0 || text === 'end' || !/^[ -`]+$/.test(text) || text.length > 2 + groups * 4) return null
  // Blanks at the end of a line get lost on the way.
  const digits = text.slice(1).padEnd(groups * 4, ' ')
  const bytes = Buffer.alloc(groups * 3)
  for (let group = 0; group < groups; group++) {
    let value = 0
    for (let digit = 0; digit < 4; digit++) value = value * 64 + ((digits.charCodeAt(group * 4 + digit) - 32) & 63)
    bytes.writeUIntBE(value, group * 3, 3)
  }
  return bytes.subarray(0, size)
}

const base64Line: Decode = (text) =>
  text !== '' && text !== '====' && /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null
