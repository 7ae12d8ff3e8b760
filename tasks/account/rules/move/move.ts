import { setTimeout as pause } from 'node:timers/promises'
import * as fences from '#sql/account/fences.ts'
import { makeParts } from '#sql/account/move-writes.ts'
import * as moves from '#sql/account/moves.ts'
import { queues } from '../../../pools.ts'
import { copyObjects } from './objects.ts'
import { isAlike, type Pass, runPass } from './pass.ts'
import type { Moving } from './plan.ts'
import { handOver, hasArrived, leave, takeOver, wakeMail } from './switch.ts'
import { listInHand, listUnderWay } from './under-way.ts'

/** How a move is to go. */
export interface Manner {
  actor: string
  /** Seconds that a pass may take before the pause: about so long is the last one, in the pause. */
  mostSeconds: number
  /** Seconds in the pause that workers have to finish what they have in their hands. */
  handSeconds: number
  /** Milliseconds after which every process heeds a pause. */
  heedMs: number
}

/** Why a move has stopped; what was copied stays, and the same command goes on. */
export class MoveStopped extends Error {
  override name = 'MoveStopped'
}

/** Passes in the pause after which both cells must be alike, and passes before it that may find rows the target does not take. */
const [mostInPause, mostBefore] = [5, 20]

/** Moves an organisation, or goes on with a move from wherever an earlier call of it ended; returns the rows by table. */
export async function moveOrganisation(moving: Moving, manner: Manner): Promise<Readonly<Record<string, number>>> {
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
  if (state === 'moved') await leave(moving, manner.actor)
  return (await moves.find(source.db, move.id))?.tables ?? {}
}

/** Copies, then copies what has changed meanwhile, until that takes little time. */
async function copyWhileRunning(moving: Moving, { mostSeconds }: Manner): Promise<void> {
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
    // What hangs on a row that was added meanwhile is taken by the next pass; what that does not take either stands in its way.
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
  throw new MoveStopped(error)
}

async function demandQuiet(moving: Moving): Promise<void> {
  const live = await listUnderWay(moving)
  if (live.length > 0) await stop(moving, `in progress: ${live.join(', ')}`)
}

/**
 * Has every process heed the pause, and workers finish what they have in their hands, while another pass takes what has changed. What
 * is not finished in time ends the pause: the organisation goes on where it was.
 */
async function settle(moving: Moving, { heedMs, handSeconds }: Manner): Promise<void> {
  const until = performance.now() + heedMs
  const end = until + handSeconds * 1000
  await moving.step?.('paused')
  await runPass(moving)
  await pause(Math.max(0, until - performance.now()))
  const left = [...(await listUnderWay(moving)), ...(await untilEmptyHanded(moving, end))]
  if (left.length > 0) await goOnHere(moving, left)
}

/** Waits until workers have nothing of the organisation in their hands; what they still have when the time is over. */
async function untilEmptyHanded(moving: Moving, end: number): Promise<readonly string[]> {
  for (;;) {
    const inHand = await listInHand(moving)
    if (inHand.length === 0 || performance.now() > end) return inHand
    await pause(50)
  }
}

/** Takes the pause back. */
async function goOnHere(moving: Moving, underWay: readonly string[]): Promise<never> {
  await moves.advance(moving.source.db, moving.move.id, ['paused', 'switching'], 'copying')
  return await stop(moving, `the pause ended without a move. In progress: ${underWay.join(', ') || 'jobs'}`)
}

async function raiseFence({ source, move, tables }: Moving): Promise<void> {
  await fences.raise(source.db, { moveId: move.id, orgId: move.org_id, tables, queues })
}

/** Ends with both cells alike, row by row: nothing of the organisation can be written where it is now. */
async function makeAlike(moving: Moving): Promise<void> {
  await copyObjects(moving)
  for (let number = 1; ; number++) {
    const pass = await runPass(moving)
    moving.tell(`during the pause: ${said(pass)}`)
    if (isAlike(pass)) return await moves.note(moving.source.db, moving.move.id, { tables: pass.counts, error: null })
    if (number >= mostInPause) await stop(moving, pass.reason ?? 'the cells still differ')
  }
}
