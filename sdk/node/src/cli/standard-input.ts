import { readFile } from 'node:fs/promises'
import { MillraceError } from '../errors.ts'

/** Returns the standard input as text. Throws if it is longer than `most` characters. */
export async function readStandardInput(most = 32 * 1024 * 1024): Promise<string> {
  let text = ''
  process.stdin.setEncoding('utf8')
  for await (const piece of process.stdin) {
    text += piece
    if (text.length > most) throw new MillraceError('The standard input is too long.')
  }
  return text
}

/** Returns a text, the content of a file (`@path`), or the standard input (`-`). */
export async function readText(given: string): Promise<string> {
  if (given === '-') return await readStandardInput()
  if (!given.startsWith('@')) return given
  return await readTextFile(given.slice(1))
}

export async function readTextFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new MillraceError(`The file ${path} cannot be read: ${(error as { code?: string }).code}.`)
  }
}
