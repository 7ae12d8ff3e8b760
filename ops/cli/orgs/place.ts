import type { Command } from 'commander'
import * as orgs from '#sql/account/orgs.ts'
import * as plans from '#sql/account/plans.ts'
import { type CellState, findCell, readCellStates, readCells, withCell } from '../cells.ts'
import { json, line } from '../output.ts'
import { CommandError, OptionErrors, UsageError } from '../usage.ts'

export function declare(command: Command): void {
  command
    .command('place')
    .description('create an organisation in the named cell or, by default, in the cell with the fewest organisations')
    .argument('<name>')
    .option('--cell <cell>', 'cell name (see `millrace cells`)')
    .option('--plan <plan>', 'plan name (see `millrace plans`)', 'free')
    .option('--json', 'print JSON')
    .action(runPlace)
}

async function runPlace(name: string, options: { cell?: string; plan: string; json?: boolean }): Promise<void> {
  const known = readCells()
  const faults = new OptionErrors()
  if (name.trim() === '') faults.add('name', 'must have at least one character')
  faults.read('--cell', options.cell, (text) => findCell(known, text))
  faults.demandNone()
  const all = await readCellStates(known)
  const { cell } = options.cell === undefined ? roomiest(all) : named(all, options.cell)
  const org = await withCell(cell, findCell(known, cell), async (db) => {
    const plan = (await plans.list(db)).find((one) => one.name === options.plan)
    if (!plan) throw new UsageError(`--plan: cell ${cell} does not have the plan "${options.plan}"`)
    return await orgs.insert(db, { name, plan: plan.name })
  })
  if (options.json) return json({ ...org, cell })
  line(`Organisation "${org.name}" has the ID ${org.id}, in cell ${cell}, on plan ${org.plan}.`)
  line(
    `Create its keys in that cell: CELL=${cell}, and DATABASE_URL of that cell, \`millrace keys create --org ${org.id} …\`.`,
  )
}

function roomiest(all: readonly CellState[]): CellState {
  const fit = all.filter(({ health, load, full }) => health === 'ok' && load && !full)
  const [best] = fit.sort((a, b) => (a.load?.orgs ?? 0) - (b.load?.orgs ?? 0))
  if (best) return best
  throw new CommandError(
    'No cell is available: each is full or unhealthy. Run `millrace cells` for the reasons, or name a cell with --cell.',
  )
}

function named(all: readonly CellState[], name: string): CellState {
  const found = all.find(({ cell }) => cell === name)
  if (found?.load) return found
  throw new CommandError(
    `Cell ${name} cannot currently accept an organisation: ${(found?.fault ?? 'unknown cell').replace(/\.$/, '')}.`,
  )
}
