import { unknown } from '../refusal.ts'
import { type Source, windowsOf } from '../source.ts'

/**
 * Start of encoded bytes on a separate line (POSIX uuencode): method, mode, and file name, up to a length that normal
 * text does not reach.
 */
const beginning = /\nbegin(-base64)? [0-7]{3,4} (?:[^\n]{1000}|[^\n]+\n([^\r\n]*))/g
const longestLines = 2048
const lineOfIt = Buffer.from('\nbegin')

export async function checkEncoded(source: Source): Promise<void> {
  for await (const { bytes, start } of windowsOf(source, longestLines)) {
    // Nearly all texts contain no encoded file.
    if (start > 0 && !bytes.includes(lineOfIt)) continue
    const text = `${start === 0 ? '\n' : ''}${bytes.toString('latin1')}`
    for (const match of text.matchAll(beginning)) if (isFile(match)) throw unknown()
  }
}

/** A text can mention uuencode. It is a file only if the next line is encoded. */
function isFile([, base64, line]: RegExpExecArray): boolean {
  if (line === undefined) return true
  return base64 === undefined ? isEncoded(line) : isBase64(line)
}

/**
 * True if a line has its number of bytes, and then four characters for every three bytes. Spaces at the end of the line
 * can be lost.
 */
function isEncoded(line: string): boolean {
  const size = (line.charCodeAt(0) - 32) & 63
  return size > 0 && line !== 'end' && /^[ -`]+$/.test(line) && line.length <= 2 + Math.ceil(size / 3) * 4
}

const isBase64 = (line: string) => line !== '====' && /^[A-Za-z0-9+/]+={0,2}$/.test(line)
