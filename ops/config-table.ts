/**
 * The configuration as tables of Markdown, made from its declarations. Run by hand, `node ops/config-table.ts`: writes them
 * into ops/CONFIGURE.md, between two marks.
 */
import { readFile, writeFile } from 'node:fs/promises'
import type { z } from 'zod'
import { sections } from '#lib/config.ts'

const begin = '<!-- The tables are made by `node ops/config-table.ts`, from lib/config/. -->'
const end = '<!-- End of the tables. -->'
const page = new URL('CONFIGURE.md', import.meta.url)

/** The page with the configuration as it is, and as it is declared. */
export async function configPage(): Promise<{ now: string; declared: string }> {
  const now = await readFile(page, 'utf8')
  const [from, to] = [now.indexOf(begin) + begin.length, now.indexOf(end)]
  if (from < begin.length || to < from) throw new Error(`ops/CONFIGURE.md lacks "${begin}" and "${end}"`)
  const tables = Object.entries(sections).map(tableOf).join('\n')
  return { now, declared: `${now.slice(0, from)}\n\n${tables}\n${now.slice(to)}` }
}

function tableOf([title, variables]: [string, Record<string, z.ZodType>]): string {
  const rows = Object.entries(variables).map(([name, variable]) => [
    `\`${name}\``,
    initialOf(variable),
    variable.description ?? '',
  ])
  const all = [[title, 'default', 'what it is'], ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`
  const [head, ...body] = all.map(line)
  return `${head}${line(widths.map((width) => '-'.repeat(width)))}${body.join('')}`
}

function initialOf(variable: z.ZodType): string {
  const initial = variable.safeParse(undefined).data
  return initial === undefined || (Array.isArray(initial) && initial.length === 0) ? '' : `\`${initial}\``
}

if (import.meta.main) await writeFile(page, (await configPage()).declared)
