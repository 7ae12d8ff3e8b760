import * as moves from '#sql/account/move/moves.ts'
import type { Side } from './plan.ts'

export async function findLeft(source: Side, target: Side, orgId: string): Promise<moves.Move | null> {
  const left = await moves.findOpen(target.db, orgId)
  return left && left.cell === source.name && ['incoming', 'aborting'].includes(left.state) ? left : null
}
