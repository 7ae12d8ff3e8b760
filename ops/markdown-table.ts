import { readFile } from 'node:fs/promises'

export const page = new URL('CONFIGURE.md', import.meta.url)

export async function replaceBetween(
  begin: string,
  end: string,
  text: string,
): Promise<{ now: string; declared: string }> {
  const now = await readFile(page, 'utf8')
  const [from, to] = [now.indexOf(begin) + begin.length, now.indexOf(end)]
  if (from < begin.length || to < from) throw new Error(`ops/CONFIGURE.md must contain "${begin}" and "${end}"`)
  return { now, declared: `${now.slice(0, from)}\n\n${text}\n${now.slice(to)}` }
}

export function markdownTable(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`
  const [head, ...body] = rows.map(line)
  return `${head}${line(widths.map((width) => '-'.repeat(width)))}${body.join('')}`
}
