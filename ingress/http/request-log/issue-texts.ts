import type { Context } from 'koa'
import type { Problem } from '#lib/errors.ts'
import { mask, maskText } from '#lib/mask.ts'

const [maxIssues, maxLength, maxWords, shortest] = [20, 200, 300, 3]

/** Returns the text of an error without the values that the request contained, because the log stores no values. */
export function issueTexts(ctx: Context, { message, details }: Problem): { message: string; issues: string[] } {
  const words = sentWords(ctx)
  const withoutValues = (text: string) =>
    words.reduce((rest, word) => rest.replaceAll(word, mask), maskText(text)).slice(0, maxLength)
  const faults: readonly unknown[] = Array.isArray(details) ? details : []
  const issues = faults.slice(0, maxIssues).flatMap((fault) => {
    const { field, issue } = Object(fault) as { field?: unknown; issue?: unknown }
    if (typeof field !== 'string') return []
    return [typeof issue === 'string' ? withoutValues(issue) : '']
  })
  return { message: issues.length > 0 ? '' : withoutValues(message), issues }
}

/** Returns the words of all values in the path, query and body, longest first. */
function sentWords({ path, querystring, state }: Context): string[] {
  const found = new Set<string>()
  const take = (text: string) => {
    if (text.length <= maxLength) add(text)
    for (const word of text.slice(0, 2_000).split(/[^\p{L}\p{N}._-]+/u)) add(word)
  }
  const add = (word: string) => {
    if (word.length >= shortest && found.size < maxWords) found.add(word)
  }
  const walk = (value: unknown, depth: number): void => {
    if (found.size >= maxWords || depth > 6) return
    if (typeof value === 'string' || typeof value === 'number') take(String(value))
    else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) walk(one, depth + 1)
  }
  walk(Object.fromEntries(new URLSearchParams(querystring)), 0)
  walk(state.given, 0)
  for (const segment of path.split('/')) if (/\d|.{20}/.test(segment)) add(segment)
  return [...found].sort((a, b) => b.length - a.length)
}
