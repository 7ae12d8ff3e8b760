import { createHash } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { check, type Diagnostics, type Parameters } from 'recheck'

/** What is kept of a verdict of the checker. */
export interface Verdict {
  status: Diagnostics['status']
  /** True if the verdict is from fuzzing, which proves nothing. */
  isFuzz: boolean
  /** For example `2nd degree polynomial`, or why the expression could not be checked. */
  summary: string
  /** Exponent of the length. `null` for exponential time. Unknown verdicts count as quadratic. */
  degree: number | null
  /** How an attack is built, for expressions that are not linear. */
  attack?: string
}

/**
 * Verdicts of all expressions, by a hash of the expression and of the checker's settings. They are in the repository,
 * because a complete check takes two minutes and depends only on the hashed data.
 */
const kept = new URL('./verdicts.jsonl', import.meta.url)
const { version }: { version: string } = createRequire(import.meta.url)('recheck/package.json')

/** With `afresh`, every expression is checked again. */
export async function openVerdicts(effort: Parameters, { afresh }: { afresh: boolean }) {
  const text = afresh ? '' : await readFile(kept, 'utf8')
  const lines = text.split('\n').filter((line) => line !== '')
  const before = new Map<string, Verdict>(lines.map((line) => JSON.parse(line)))
  const now: typeof before = new Map()
  return {
    async judge(source: string, flags: string): Promise<Verdict> {
      const text = JSON.stringify([version, effort, source, flags])
      const key = createHash('sha256').update(text).digest('base64url').slice(0, 22)
      const verdict = before.get(key) ?? summarize(await check(source, flags, effort))
      // Also kept if unknown: the expression then needs an excuse as if it were quadratic.
      now.set(key, verdict)
      return verdict
    },
    /** Writes the verdicts of this run, one per line, if they changed. */
    async keep(): Promise<void> {
      const entries = [...now].toSorted(([a], [b]) => (a < b ? -1 : 1))
      const written = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
      if (written === text) return
      const draft = new URL(`./verdicts.jsonl.${process.pid}`, import.meta.url)
      await writeFile(draft, written)
      await rename(draft, kept)
    },
  }
}

/** Returns what is kept of a verdict. */
export function summarize(found: Diagnostics): Verdict {
  const { status } = found
  if (status === 'unknown') return { status, isFuzz: false, summary: found.error.kind, degree: 2 }
  const { summary, isFuzz } = found.complexity
  if (status === 'safe') return { status, isFuzz, summary, degree: 1 }
  const degree = found.complexity.type === 'polynomial' ? found.complexity.degree : null
  return { status, isFuzz, summary, degree, attack: found.attack.pattern }
}
