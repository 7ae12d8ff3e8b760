/**
 * Generates the retention table in ops/CONFIGURE.md, between two marks, from the declarations of the tables. Run `node
 * ops/retention-table.ts`.
 */
import { writeFile } from 'node:fs/promises'
import { Environment } from '#lib/config.ts'
import { familyOf } from '#sql/partitions/families.ts'
import { periodOf } from '#sql/partitions/periods.ts'
import { retained } from '#sql/retained.ts'
import { keptMs, type Retention } from '#sql/retention.ts'
import { labelOf } from '#sql/table.ts'
import { between, markdownTable, page } from './markdown-table.ts'

const begin = '<!-- The table is made by `node ops/retention-table.ts`, from sql/. -->'
const end = '<!-- End of the table. -->'

export async function retentionPage(): Promise<{ now: string; declared: string }> {
  const rows = retained.flatMap(({ name, retentions }) =>
    retentions.map((retention) => [
      `\`${labelOf({ name })}\`${retention.which ? ` ${retention.which}` : ''}`,
      spanOf(retention) + partitionsOf(labelOf({ name }), retention),
      retention.column === 'id' ? 'made' : `\`${retention.column}\``,
    ]),
  )
  return await between(begin, end, markdownTable([['Rows', 'kept for', 'from'], ...rows]))
}

/** Rows in partitions are kept until the end of the partition’s period. */
function partitionsOf(label: string, retention: Retention): string {
  return familyOf(label) ? `, and until the end of that ${periodOf(keptMs(retention) / 86_400_000)}` : ''
}

function spanOf({ span, unit, sooner, orNever }: Retention): string {
  const units = (count: unknown) => `${count} ${unit}${count === 1 ? '' : 's'}`
  const initial = (name: string) => Environment.shape[name as 'PORT'].parse(undefined)
  const kept = () => {
    if (span === 0) return 'deleted immediately'
    if (typeof span === 'number') return units(span)
    if (typeof span !== 'object') return `\`${span}\` (${units(initial(span))})`
    const bound = span.atLeast === undefined ? `at most ${units(span.atMost)}` : `at least ${units(span.atLeast)}`
    return `\`${span.setting}\` (${units(initial(span.setting))}), ${bound}`
  }
  return `${kept()}${sooner ? ', or less if the row says so' : ''}${orNever ? '; deleted immediately without it' : ''}`
}

if (import.meta.main) await writeFile(page, (await retentionPage()).declared)
