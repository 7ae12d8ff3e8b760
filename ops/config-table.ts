/**
 * The configuration as tables of Markdown, made from its declarations. Run by hand, `node ops/config-table.ts`: writes them
 * into ops/CONFIGURE.md, between two marks.
 */
import { writeFile } from 'node:fs/promises'
import type { z } from 'zod'
import { sections } from '#lib/config.ts'
import { between, markdownTable, page } from './markdown-table.ts'

const begin = '<!-- The tables are made by `node ops/config-table.ts`, from lib/config/. -->'
const end = '<!-- End of the tables. -->'

/** The page with the configuration as it is, and as it is declared. */
export async function configPage(): Promise<{ now: string; declared: string }> {
  return await between(begin, end, Object.entries(sections).map(tableOf).join('\n'))
}

function tableOf([title, variables]: [string, Record<string, z.ZodType>]): string {
  const rows = Object.entries(variables).map(([name, variable]) => [
    `\`${name}\``,
    initialOf(variable),
    variable.description ?? '',
  ])
  return markdownTable([[title, 'default', 'what it is'], ...rows])
}

function initialOf(variable: z.ZodType): string {
  const initial = variable.safeParse(undefined).data
  return initial === undefined || (Array.isArray(initial) && initial.length === 0) ? '' : `\`${initial}\``
}

if (import.meta.main) await writeFile(page, (await configPage()).declared)
