import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { check, type Diagnostics, type Parameters } from 'recheck'

/** Cached verdicts, because a complete check takes two minutes and depends only on the hashed data. */
const kept = 'node_modules/.cache/regex.json'
const { version }: { version: string } = createRequire(import.meta.url)('recheck/package.json')

export async function openVerdicts(effort: Parameters) {
  const before: Record<string, Diagnostics> = JSON.parse(await readFile(kept, 'utf8').catch(() => '{}'))
  const now: typeof before = {}
  return {
    async judge(source: string, flags: string): Promise<Diagnostics> {
      const text = JSON.stringify([version, effort, source, flags])
      const key = createHash('sha256').update(text).digest('base64url')
      const verdict = before[key] ?? (await check(source, flags, effort))
      // The check of an unknown verdict may only have had too little time.
      if (verdict.status !== 'unknown') now[key] = verdict
      return verdict
    },
    async keep(): Promise<void> {
      await mkdir(dirname(kept), { recursive: true })
      await writeFile(`${kept}.${process.pid}`, JSON.stringify(now))
      await rename(`${kept}.${process.pid}`, kept)
    },
  }
}
