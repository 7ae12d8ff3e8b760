import { unknown } from '../refusal.ts'
import { chunksOf, type Source } from '../source.ts'

/** What stands before encoded bytes, on a line of its own (POSIX uuencode): the way, the mode, and the name of the file, of which no text speaks that is so long. */
const beginning = /\nbegin(-base64)? [0-7]{3,4} (?:[^\n]{1000}|[^\n]+\n([^\r\n]*))/g
const longestLines = 2048
const lineOfIt = Buffer.from('\nbegin')

/** Refuses a content that holds a file by uuencode, which its readers take from anywhere in a text. */
export async function checkEncoded(source: Source): Promise<void> {
  let kept = Buffer.from('\n')
  for await (const chunk of chunksOf(source)) {
    const bytes = Buffer.concat([kept, chunk])
    kept = bytes.subarray(-longestLines)
    // Nearly all texts have none.
    if (!bytes.includes(lineOfIt)) continue
    // A text may speak of it: what follows is encoded, or it is no file.
    for (const [, base64, line] of bytes.toString('latin1').matchAll(beginning))
      if (line === undefined || (base64 === undefined ? isEncoded(line) : isBase64(line))) throw unknown()
  }
}

/** How many bytes a line has, then four characters for each three of them; blanks at its end get lost on the way. */
function isEncoded(line: string): boolean {
  const size = (line.charCodeAt(0) - 32) & 63
  return size > 0 && line !== 'end' && /^[ -`]+$/.test(line) && line.length <= 2 + Math.ceil(size / 3) * 4
}

const isBase64 = (line: string) => line !== '====' && /^[A-Za-z0-9+/]+={0,2}$/.test(line)
