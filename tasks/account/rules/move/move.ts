import { setTimeout as pause } from 'node:timers/promises'
import * as fences from '#sql/account/move/fences.ts'
import * as moves from '#sql/account/move/moves.ts'
import { makeParts } from '#sql/account/move/writes.ts'
import { queues } from '../../../pools.ts'
import { copyObjects } from './objects.ts'
import { isAlike, type Pass, runPass } from './pass.ts'
import type { Moving } from './plan.ts'
import { handOver, hasArrived, removeSourceRows, takeOver, wakeMail } from './switch.ts'
import { listInHand, listUnderWay } from './under-way.ts'

export interface MoveOptions {
  actor: string
  /** Maximum duration in seconds of a pass before the pause. The pass during the pause takes about the same time. */
  mostSeconds: number
  handSeconds: number
  heedMs: number
}

/** Thrown when a move stops, with the reason. Copied rows stay, and the same command continues the move. */
export class MoveStoppedError extends Error {
  override name = 'MoveStoppedError'
}

/**
 * Maximum number of passes: during the pause, until both cells are equal; before the pause, until the target accepts
 * all rows.
 */
const [mostInPause, mostBefore] = [5, 20]

export async function moveOrganisation(moving: Moving, manner: MoveOptions): Promise<Readonly<Record<string, number>>> {
  const { source, move } = moving
  let state = (await moves.find(source.db, move.id))?.state
  if (state === 'copying') {
    await copyWhileRunning(moving, manner)
    await demandQuiet(moving)
    await moves.advance(source.db, move.id, ['copying'], 'paused')
    state = 'paused'
  }
  if (state === 'paused') {
    await settle(moving, manner)
    await moving.step?.('settled')
    await moves.advance(source.db, move.id, ['paused'], 'switching')
    state = 'switching'
  }
  if (state === 'switching') {
    if (!(await hasArrived(moving))) {
      await raiseFence(moving)
      await makeAlike(moving)
      await moving.step?.('alike')
      const inHand = [
        ...(await listUnderWay(moving)),
        ...(await untilEmptyHanded(moving, performance.now() + manner.handSeconds * 1000)),
      ]
      if (inHand.length > 0 || !(await takeOver(moving, manner.handSeconds))) await goOnHere(moving, inHand)
    }
    await moving.step?.('arrived')
    await wakeMail(moving)
    await handOver(moving)
    moving.tell(`the organisation is now in cell ${moving.target.name}`)
    state = 'moved'
  }
  await moving.step?.('moved')
  if (state === 'moved') await removeSourceRows(moving, manner.actor)
  return (await moves.find(source.db, move.id))?.tables ?? {}
}

/** Copies rows, then repeats for changed rows until a pass is short enough. */
async function copyWhileRunning(moving: Moving, { mostSeconds }: MoveOptions): Promise<void> {
  const { source, target, move, tables } = moving
  await makeParts(source.db, target.db, tables)
  let before: Pass | undefined
  for (let number = 1; ; number++) {
    const objects = await copyObjects(moving)
    const pass = await runPass(moving)
    await moves.note(source.db, move.id, { pass: number, tables: pass.counts, error: null })
    moving.tell(
      `pass ${number}: ${said(pass)}${objects.objects > 0 ? `, ${objects.objects} objects of ${objects.bytes} bytes` : ''}`,
    )
    await moving.step?.(`pass ${number}`)
    // Rows that depend on newly added rows are copied by the next pass. If a row still cannot be copied, the move
    // stops.
    if (pass.left > 0 && pass.copied + pass.removed === 0 && before?.left === pass.left) await stop(moving, pass.reason)
    if (pass.left === 0 && pass.seconds <= mostSeconds && (number > 1 || isAlike(pass))) return
    if (number >= mostBefore)
      await stop(
        moving,
        `a pass still takes ${pass.seconds.toFixed(1)} s, and the pause would take as long: allow a longer pause with --pause`,
      )
    before = pass
  }
}

const said = ({ copied, removed, left, seconds }: Pass) =>
  `${copied} rows copied, ${removed} deleted${left > 0 ? `, ${left} left` : ''}, in ${seconds.toFixed(1)} s`

async function stop({ source, move }: Moving, reason: string | undefined): Promise<never> {
  const error = reason ?? 'the move cannot continue'
  await moves.note(source.db, move.id, { error })
  throw new MoveStoppedError(error)
}

async function demandQuiet(moving: Moving): Promise<void> {
  const live = await listUnderWay(moving)
  if (live.length > 0) await stop(moving, `in progress: ${live.join(', ')}`)
}

/**
 * Waits until every process applies the pause and workers have finished. Meanwhile, another pass copies changes. If the
 * processes or workers take too long, the pause ends and the organisation continues in the source cell.
 */
async function settle(moving: Moving, { heedMs, handSeconds }: MoveOptions): Promise<void> {
  const until = performance.now() + heedMs
  const end = until + handSeconds * 1000
  await moving.step?.('paused')
  await runPass(moving)
  await pause(Math.max(0, until - performance.now()))
  const left = [...(await listUnderWay(moving)), ...(await untilEmptyHanded(moving, end))]
  if (left.length > 0) await goOnHere(moving, left)
}

/** Waits until workers have no jobs of the organisation. Returns the jobs that are left after the timeout. */
async function untilEmptyHanded(moving: Moving, end: number): Promise<readonly string[]> {
  for (;;) {
    const inHand = await listInHand(moving)
    if (inHand.length === 0 || performance.now() > end) return inHand
    await pause(50)
  }
}

async function goOnHere(moving: Moving, underWay: readonly string[]): Promise<never> {
  await moves.advance(moving.source.db, moving.move.id, ['paused', 'switching'], 'copying')
  return await stop(moving, `the pause ended without a move. In progress: ${underWay.join(', ') || 'jobs'}`)
}

async function raiseFence({ source, move, tables }: Moving): Promise<void> {
  await fences.raise(source.db, { moveId: move.id, orgId: move.org_id, tables, queues })
}

/** Makes the organisation’s rows equal in both cells, row by row. The source cell is read-only for the organisation. */
async function makeAlike(moving: Moving): Promise<void> {
  await copyObjects(moving)
  for (let number = 1; ; number++) {
    const pass = await runPass(moving)
    moving.tell(`during the pause: ${said(pass)}`)
    if (isAlike(pass)) return await moves.note(moving.source.db, moving.move.id, { tables: pass.counts, error: null })
    if (number >= mostInPause) await stop(moving, pass.reason ?? 'the cells still differ')
  }
}
