import { getConfiguredCells } from '#lib/cells.ts'
import { config } from '#lib/config.ts'
import { listAbandoned } from '#sql/account/move/lock.ts'
import type { Db } from '#sql/db.ts'
import { readCellHealth } from '../cells.ts'
import { type Finding, fault, well } from './finding.ts'

/**
 * Checks whether CELLS_FILE is readable and contains this cell, and whether the ingress of every other cell is
 * responding.
 */
export async function checkCells(): Promise<Finding> {
  const known = getConfiguredCells()
  if (!known) return well('cells', alone())
  const others = [...known.byName].filter(([name]) => name !== known.own)
  const told = await Promise.all(
    others.map(async ([name, cell]) => ({ name, url: cell.url, health: await readCellHealth(cell) })),
  )
  const away = told.filter(({ health }) => health !== 'ok')
  if (away.length === 0) return well('cells', `this is ${known.own} of ${[...known.byName.keys()].join(', ')}`)
  const found = away.map(({ name, url, health }) => `${name} at ${url}: ${health}`)
  return fault(
    'cells',
    found.join('; '),
    'run `millrace cells` for details; until then, requests for them return 503 here',
  )
}

const alone = (): string =>
  config.CELL ? `this is ${config.CELL}, without other cells: CELLS_FILE is not set` : 'a single Millrace without cells'

/**
 * Checks whether the command of each move from this cell is still running. If a move is interrupted, writes of the
 * organisation may be rejected until the move continues.
 */
export async function checkMoves(db: Db): Promise<Finding> {
  const stopped = await listAbandoned(db)
  if (stopped.length === 0) return well('moves', 'no interrupted moves')
  const found = stopped.map(({ org_id, cell, state }) => `organisation ${org_id} to cell ${cell} (${state})`)
  return fault(
    'moves',
    `interrupted moves: ${found.join('; ')}`,
    'run `millrace orgs move <org> --to <cell>` again, or with --abort',
  )
}
