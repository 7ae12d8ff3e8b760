import { mkdir, readFile, writeFile } from 'node:fs/promises'
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

/** Writes down what `npm start` does, for snippets that are run in a folder. */
export async function writeFacts(folder: string, facts: { base_url: string; keys: Record<string, string> }) {
  await mkdir(join(folder, '.data'), { recursive: true })
  await writeFile(join(folder, '.data/dev.json'), JSON.stringify(facts))
}

/**
 * Runs a snippet in a shell that knows nothing but its folder, in which facts are written down; programs in `bin` there
 * come before all others, and files that the snippet has in /tmp are there, too.
 */
export async function runSnippet(
  folder: string,
  snippet: string,
  environment: Record<string, string> = {},
): Promise<Said> {
  const path = join(folder, 'snippet.sh')
  await writeFile(path, `PATH=${join(folder, 'bin')}:$PATH\n${snippet.replaceAll('/tmp/', `${folder}/`)}`)
  return await runLine('/bin/bash', `-u ${path}`, childEnvironment(environment), folder, 180_000)
}
