import { unknown } from '../refusal.ts'
import { chunksOf, type Source } from '../source.ts'

/** What stands before encoded bytes, on a line of its own (POSIX uuencode): the way, the mode, and the name of the file. */
const beginning = /^begin(-base64)? [0-7]{3,4} [^\n]+\n([^\r\n]*)/
const longestLines = 2048
const lineOfIt = Buffer.from('\nbegin')

/** Refuses a content that holds a file by uuencode, which its readers take from anywhere in a text. */
export async function checkEncoded(source: Source): Promise<void> {
  for await (const at of beginnings(source)) {
    const [, base64, line] = beginning.exec((await source.read(at, at + longestLines)).toString('latin1')) ?? []
    // A text may speak of it: what follows is encoded, or it is no file.
    if (line !== undefined && (base64 === undefined ? isEncoded(line) : isBase64(line))) throw unknown()
  }
}

/** Where lines begin that may be such; by bytes, as nearly all texts have none. */
async function* beginnings(source: Source): AsyncGenerator<number> {
  yield 0
  let kept: Buffer = Buffer.alloc(0)
  let start = 0
  for await (const chunk of chunksOf(source)) {
    const bytes = Buffer.concat([kept, chunk])
    for (let at = bytes.indexOf(lineOfIt); at !== -1; at = bytes.indexOf(lineOfIt, at + 1))
      if (' -'.includes(String.fromCharCode(bytes[at + lineOfIt.length] ?? 0x20))) yield start + at + 1
    kept = bytes.subarray(Math.max(0, bytes.length - lineOfIt.length + 1))
    start += bytes.length - kept.length
  }
}

/** How many bytes a line has, then four characters for each three of them; blanks at its end get lost on the way. */
function isEncoded(line: string): boolean {
  const size = (line.charCodeAt(0) - 32) & 63
  return size > 0 && line !== 'end' && /^[ -`]+$/.test(line) && line.length <= 2 + Math.ceil(size / 3) * 4
}

const isBase64 = (line: string) => line !== '====' && /^[A-Za-z0-9+/]+={0,2}$/.test(line)
