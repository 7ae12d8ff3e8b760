import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { textsOfCode } from './code.ts'
import { textsOfMarkdown } from './markdown.ts'
import { textsOfShell } from './shell.ts'
import type { Text } from './text.ts'

/** Generated files, foreign code, tests, and translations. */
const left = /(^|\/)(generated|vendor|node_modules)\/|\.min\.|\.d\.ts$|^test\/|^sdk\/python\/tests\//

/** Returns the texts of all files under version control in `root` and below `paths`. */
export async function textsOfTree(root: string, paths: string[] = []): Promise<Text[]> {
  const { stdout } = await promisify(execFile)(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', ...paths],
    {
      cwd: root,
      maxBuffer: 1 << 26,
    },
  )
  const files = stdout.split('\n').filter((file) => /\.(md|ts|js|mjs|sh)$/.test(file) && !left.test(file))
  const texts = await Promise.all(
    // A deleted file whose deletion is not committed has no texts.
    files.map(async (file) => textsOf(file, await readFile(join(root, file), 'utf8').catch(() => ''))),
  )
  return texts.flat()
}

function textsOf(file: string, source: string): Text[] {
  if (file.endsWith('.md')) return textsOfMarkdown(file, source)
  return file.endsWith('.sh') ? textsOfShell(file, source) : textsOfCode(file, source)
}
