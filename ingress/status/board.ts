import { setTimeout as wait } from 'node:timers/promises'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as areas from '#sql/status/areas.ts'
import * as days from '#sql/status/days.ts'
import * as incidents from '#sql/status/incidents.ts'
import { service } from '../http/container.ts'

export interface Measurements {
  areas: readonly areas.AreaState[]
  days: readonly days.Day[]
  incidents: readonly incidents.Incident[]
}

export interface Board {
  /** Measurements that are at most `freshMs` old. Null if no measurement was ever read. */
  measurements: Measurements | null
  /** False if Postgres did not answer. The measurements are then older. */
  answers: boolean
}

/** Age in milliseconds up to which requests share the measurements. */
const freshMs = 10_000

/** Time in milliseconds after which a read counts as failed. The page must work while Postgres is slow. */
const mostMs = 2_000

export interface BoardReader {
  read(): Promise<Board>
}

export const statusBoard = service<BoardReader>({ name: 'status.board', open: ({ db }) => createBoard(db) })

/** Reads the measurements for all requests of this process. It keeps the last measurements while Postgres is away. */
export function createBoard(db: DatabasePool, shareMs = freshMs): BoardReader {
  let board: Board = { measurements: null, answers: false }
  let readAt = 0
  let reading: Promise<Board> | undefined
  const renew = async (): Promise<Board> => {
    try {
      const measurements = await Promise.race([readAll(db), wait(mostMs, undefined, { ref: false })])
      if (!measurements) throw new Error(`Postgres did not answer within ${mostMs} ms`)
      board = { measurements, answers: true }
    } catch (err) {
      log.warn({ err }, 'the status page could not be read')
      board = { ...board, answers: false }
    }
    readAt = Date.now()
    reading = undefined
    return board
  }
  return {
    async read() {
      if (Date.now() - readAt < shareMs) return board
      reading ??= renew()
      return await reading
    },
  }
}

async function readAll(db: DatabasePool): Promise<Measurements> {
  return {
    areas: await areas.list(db),
    days: await days.list(db),
    incidents: await incidents.list(db),
  }
}
