import * as fences from '#sql/account/move/fences.ts'
import * as moves from '#sql/account/move/moves.ts'
import { sharedIds } from '#sql/account/move/people.ts'
import { removeBatch } from '#sql/account/move/writes.ts'
import * as users from '#sql/account/people/users.ts'
import { removeAllOfOrg } from '#sql/jobs/of-org.ts'
import { queues } from '../../../pools.ts'
import { MoveStoppedError } from './move.ts'
import type { Moving } from './plan.ts'

/** Starts a move in both cells, first in the target cell. The target cell runs no jobs for an arriving organisation. */
export async function beginMove({ source, target, move }: Moving, actor: string): Promise<void> {
  const facts = { id: move.id, org_id: move.org_id, objects: move.objects, started_by: actor }
  await target.db.transaction(async (tx) => {
    await moves.endLeaving(tx, move.org_id)
    await moves.begin(tx, { ...facts, cell: source.name, state: 'incoming' })
  })
  await source.db.transaction((tx) => moves.begin(tx, { ...facts, cell: target.name, state: 'copying' }))
}

/**
 * Cancels a move. The organisation stays in the source cell, and copied rows are deleted. Throws `MoveStoppedError` if
 * the target has already taken over. A lock ensures that either this call or the move wins.
 */
export async function abortMove(moving: Moving): Promise<void> {
  const { source, target, tables, move, tell } = moving
  await moves.advance(target.db, move.id, ['incoming'], 'aborting')
  const there = (await moves.find(target.db, move.id))?.state
  if (there === 'arrived')
    throw new MoveStoppedError(
      `cell ${target.name} has taken over: run the same command without --abort to finish the move`,
    )
  await moves.advance(source.db, move.id, ['copying', 'paused', 'switching'], 'aborted')
  await fences.lower(source.db, move.id)
  tell(`the organisation stays in cell ${source.name}; the copied rows are deleted`)
  if (there !== 'aborting') return
  const people = await sharedIds(target.db, tables, move.org_id, 'account.users')
  for (const table of [...tables].reverse()) while ((await removeBatch(target.db, table, move.org_id)) > 0);
  await target.db.transaction(async (tx) => {
    for (const queue of queues) await removeAllOfOrg(tx, queue, move.org_id)
    await users.removeOutsiders(tx, people)
    await moves.advance(tx, move.id, ['aborting'], 'aborted')
  })
}
