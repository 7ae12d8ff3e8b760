import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { childEnvironment } from '#lib/config.ts'
import { runLine, type Said } from './millrace.ts'

/** A guide's Markdown, by its path in the repository. */
export const readGuide = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

/** The text of a fenced block, by what its fence says and, if that is not enough, by what is in it. */
export function block(text: string, fence: string, has = ''): string {
  const blocks = [...text.matchAll(/^ *```(.+)\n([\s\S]*?)^ *```$/gm)].filter(
    ([, info, code]) => info === fence && code?.includes(has),
  )
  if (blocks.length !== 1) throw new Error(`${blocks.length} blocks ${fence} with ${has}`)
  return blocks[0]?.[2] as string
}

/**
 * Runs a snippet in a shell. Programs in the folder’s `bin` come before all others. `/tmp/` in the snippet means the folder.
 */
export async function runSnippet(
  folder: string,
  snippet: string,
  environment: Record<string, string> = {},
): Promise<Said> {
  const path = join(folder, 'snippet.sh')
  await writeFile(path, `PATH=${join(folder, 'bin')}:$PATH\n${snippet.replaceAll('/tmp/', `${folder}/`)}`)
  return await runLine('/bin/bash', ['-u', path], childEnvironment(environment), folder, 180_000)
}
