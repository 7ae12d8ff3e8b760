import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { childEnvironment } from '#lib/config.ts'
import { type GuideBlock, guideBlocks } from '../support/guide-blocks.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const guide = await readFile(join(root, 'sdk/node/OUTBOX.md'), 'utf8')

/** Returns the blocks of a section of the guide. */
export const blocksOf = (heading: string): GuideBlock[] =>
  guideBlocks(guide).filter((block) => block.heading === heading)

/** Runs a program in a folder. Returns its output. */
export async function runIn(
  cwd: string,
  [file = '', ...args]: string[],
  env: Record<string, string> = {},
): Promise<{ stdout: string; stderr: string }> {
  return await run(file, args, { cwd, env: childEnvironment(env), timeout: 180_000, maxBuffer: 2 ** 24 })
}

/** Writes an `npx` that runs the command of this checkout. Returns a `PATH` with it. */
export async function npxOf(folder: string): Promise<string> {
  const bin = join(folder, 'bin')
  await mkdir(bin, { recursive: true })
  const cli = join(root, 'sdk/node/src/outbox/cli.ts')
  const lines = [
    '#!/bin/sh',
    '[ "$1" = millrace-outbox ] || exit 64',
    'shift',
    `exec "${process.execPath}" "${cli}" "$@"`,
  ]
  await writeFile(join(bin, 'npx'), `${lines.join('\n')}\n`, { mode: 0o755 })
  const { PATH = '' } = childEnvironment({})
  return `${bin}:${PATH}`
}
