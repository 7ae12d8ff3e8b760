/**
 * Generates the configuration tables in ops/CONFIGURE.md, between two marks, from the declarations. Run `node
 * ops/config-table.ts`.
 */
import { writeFile } from 'node:fs/promises'
import type { z } from 'zod'
import { sections } from '#lib/config.ts'
import { between, markdownTable, page } from './markdown-table.ts'

const begin = '<!-- The tables are made by `node ops/config-table.ts`, from lib/config/. -->'
const end = '<!-- End of the tables. -->'

export async function configPage(): Promise<{ now: string; declared: string }> {
  return await between(begin, end, Object.entries(sections).map(tableOf).join('\n'))
}

function tableOf([title, variables]: [string, Record<string, z.ZodType>]): string {
  const rows = Object.entries(variables).map(([name, variable]) => [
    `\`${name}\``,
    initialOf(variable),
    variable.description ?? '',
  ])
  return markdownTable([[title, 'default', 'meaning'], ...rows])
}

function initialOf(variable: z.ZodType): string {
  const initial = variable.safeParse(undefined).data
  return initial === undefined || (Array.isArray(initial) && initial.length === 0) ? '' : `\`${initial}\``
}

if (import.meta.main) await writeFile(page, (await configPage()).declared)
