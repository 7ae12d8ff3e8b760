import type { Command } from 'commander'
import * as plans from '#sql/account/plans.ts'
import { listStandings, type Standing } from '#tasks/account/rules/standing.ts'
import { findOrg } from '../filters.ts'
import { type Column, json, number, table } from '../output.ts'
import { withDatabase } from '../session.ts'
import { OptionErrors } from '../usage.ts'

export function declare(program: Command): void {
  program
    .command('usage')
    .description('show usage, limits and costs of an organisation in this period')
    .argument('<org>', 'organisation ID or name')
    .option('--all', 'include metrics without usage')
    .option('--json', 'print JSON')
    .action(run)
}

async function run(name: string, options: { all?: boolean; json?: boolean }): Promise<void> {
  const found = await withDatabase(async (db) => {
    const faults = new OptionErrors()
    const org = await faults.look('org', name, (text) => findOrg(db, text))
    faults.demandNone()
    const id = org as string
    return await listStandings(db, id, await plans.findForOrganisation(db, id))
  })
  const shown = found.filter(({ used, soft }) => options.all || used > 0 || soft !== null)
  if (options.json) return json(shown)
  table(shown, columns, 'No usage in this period.')
}

const columns: Column<Standing>[] = [
  { heading: 'METRIC', text: ({ metric }) => metric },
  { heading: 'PERIOD', text: ({ period }) => period },
  { heading: 'USED', right: true, text: ({ used }) => number(used) },
  { heading: 'LIMIT', right: true, text: ({ limit }) => (limit === null ? '' : number(limit)) },
  { heading: 'FORECAST', right: true, text: ({ forecast }) => (forecast === null ? '' : number(forecast)) },
  { heading: 'UNIT', text: ({ unit }) => unit },
]
