import * as moves from '#sql/account/moves.ts'
import type { Side } from './plan.ts'

/**
 * What a command that ended between the commits of both cells has left: a move that the target alone has open, as the source has not
 * begun it yet, or has given it up. Null where there is none.
 */
export async function findLeft(source: Side, target: Side, orgId: string): Promise<moves.Move | null> {
  const left = await moves.findOpen(target.db, orgId)
  return left && left.cell === source.name && ['incoming', 'aborting'].includes(left.state) ? left : null
}
