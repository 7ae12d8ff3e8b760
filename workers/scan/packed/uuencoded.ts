import { unknown } from '../refusal.ts'
import { type Source, windowsOf } from '../source.ts'

/** What stands before encoded bytes, on a line of its own (POSIX uuencode): the way, the mode, and the name of the file, of which no text speaks that is so long. */
const beginning = /\nbegin(-base64)? [0-7]{3,4} (?:[^\n]{1000}|[^\n]+\n([^\r\n]*))/g
const longestLines = 2048
const lineOfIt = Buffer.from('\nbegin')

/** Refuses a content that holds a file by uuencode, which its readers take from anywhere in a text. */
export async function checkEncoded(source: Source): Promise<void> {
  for await (const { bytes, start } of windowsOf(source, longestLines)) {
    // Nearly all texts have none.
    if (start > 0 && !bytes.includes(lineOfIt)) continue
    const text = `${start === 0 ? '\n' : ''}${bytes.toString('latin1')}`
    for (const match of text.matchAll(beginning)) if (isFile(match)) throw unknown()
  }
}

/** A text may speak of it: what follows is encoded, or it is no file. */
function isFile([, base64, line]: RegExpExecArray): boolean {
  if (line === undefined) return true
  return base64 === undefined ? isEncoded(line) : isBase64(line)
}

/** How many bytes a line has, then four characters for each three of them; blanks at its end get lost on the way. */
function isEncoded(line: string): boolean {
  const size = (line.charCodeAt(0) - 32) & 63
  return size > 0 && line !== 'end' && /^[ -`]+$/.test(line) && line.length <= 2 + Math.ceil(size / 3) * 4
}

const isBase64 = (line: string) => line !== '====' && /^[A-Za-z0-9+/]+={0,2}$/.test(line)
