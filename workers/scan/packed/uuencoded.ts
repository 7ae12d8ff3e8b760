import type { Inspection } from '../inspection.ts'
import type { Inner, Opened } from '../opened.ts'
import { chunksOf, type Source } from '../source.ts'

/** What stands before encoded bytes, on a line of its own (POSIX uuencode): the way, the mode, and the name of the file. */
const beginning = /^begin(-base64)? [0-7]{3,4} (.+)$/
const longestLine = 1024

/** Hands out the files that a text holds by uuencode, as its reader takes them from anywhere in it. */
export async function openUuencoded(inspection: Inspection, source: Source, path: string[]): Promise<Opened> {
  const marks = path.length === 0 && inspection.marks?.size === source.size ? inspection.marks.encodings : null
  const starts = marks === null ? beginnings(source) : [0, ...marks]
  return { type: 'text/x-uuencode', holder: 'archive', inners: filesIn(inspection, source, starts) }
}

async function* filesIn(
  inspection: Inspection,
  source: Source,
  starts: Iterable<number> | AsyncIterable<number>,
): AsyncGenerator<Inner> {
  for await (const at of starts) {
    const [first = '', second = ''] = (await source.read(at, at + 2 * longestLine)).toString('latin1').split('\n', 2)
    const [, base64, name] = beginning.exec(bare(first)) ?? []
    const decode = base64 === undefined ? line : base64Line
    // A text may speak of it: what follows is encoded, or it is no file.
    if (name === undefined || decode(bare(second)) === null) continue
    inspection.enter()
    const open = () => decoded(source, at + first.length + 1, decode)
    yield { names: [name], size: null, source: null, open }
  }
}

const bare = (text: string) => text.replace(/\r$/, '')
const lineOfIt = Buffer.from('\nbegin')

/** Where lines begin that may be such; by bytes, as nearly all texts have none. */
async function* beginnings(source: Source): AsyncGenerator<number> {
  yield 0
  let kept: Buffer = Buffer.alloc(0)
  let start = 0
  for await (const chunk of chunksOf(source)) {
    const bytes = Buffer.concat([kept, chunk])
    for (let at = bytes.indexOf(lineOfIt); at !== -1; at = bytes.indexOf(lineOfIt, at + 1)) yield start + at + 1
    kept = bytes.subarray(Math.max(0, bytes.length - lineOfIt.length + 1))
    start += bytes.length - kept.length
  }
}

/** The lines of a source from a place on, without their ends; one longer than any that is encoded is the last. */
async function* linesOf(source: Source, start: number): AsyncGenerator<string> {
  let kept = ''
  for await (const chunk of chunksOf(source, start)) {
    const lines = (kept + chunk.toString('latin1')).split('\n')
    kept = lines.pop() ?? ''
    for (const text of lines) yield bare(text)
    if (kept.length > longestLine) return
  }
  if (kept !== '') yield bare(kept)
}

type Decode = (text: string) => Buffer | null

/** Lines as long as they are decoded, gathered to chunks. */
async function* decoded(source: Source, start: number, decode: Decode): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  for await (const text of linesOf(source, start)) {
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
