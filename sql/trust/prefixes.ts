import { z } from 'zod'
import { type DatabasePool, type Db, sql } from '../db.ts'
import { getColumns } from '../table.ts'
import { FeedFacts } from './entries.ts'

/** Feeds at one moment, and their prefixes. */
export interface FeedsRead {
  state: string
  /** Sorted by name. */
  feeds: readonly FeedFacts[]
  /** Identifies the entries of these feeds. Changes when the entries change. */
  contents: string
  /** Yields all distinct prefixes in ascending order, in pieces: about 20 for a million. */
  prefixes(): AsyncIterable<Int32Array>
}

const State = z.object({ state: z.string() })

// Includes more than the transaction number, which can be reused at another time after a failover.
const state = sql.fragment`coalesce(string_agg(
  id || ':' || xmin::text || ':' || coalesce(extract(epoch from imported_at)::text, ''), ' ' order by id), '') as state`

/** Returns the state of all feeds: a string that changes whenever a feed changes. */
export async function getFeedsState(db: Db): Promise<string> {
  return await db.oneFirst(sql.prepared('trust_feeds.state', State)`select ${state} from trust.feeds`)
}

const Read = State.extend({ contents: z.string() })
const Piece = z.object({ bytes: z.instanceof(Buffer).nullable() })

/** Number of prefixes per piece. A process handles a piece in less than a millisecond. */
const pieceSize = 50_000

/** Reads feeds and their prefixes at the same moment. Imports in the meantime have no effect. */
export async function readFeeds<T>(db: DatabasePool, read: (feeds: FeedsRead) => Promise<T>): Promise<T> {
  return await db.transaction(async (tx) => {
    await tx.query(sql.typeAlias('void')`set transaction isolation level repeatable read, read only`)
    const told = await tx.one(sql.type(Read)`
      select ${state}, coalesce(string_agg(id || ':' || extract(epoch from imported_at)::text, ' ' order by id)
        filter (where imported_at is not null), '') as contents
      from trust.feeds`)
    const feeds = await tx.any(sql.type(FeedFacts)`
      select ${getColumns(FeedFacts, 'f')} from trust.feeds as f order by f.name`)
    return await read({ ...told, feeds, prefixes: () => pieces(tx) })
  })
}

async function* pieces(tx: Db): AsyncGenerator<Int32Array> {
  for (let above = -(2 ** 31) - 1; ; ) {
    const { bytes } = await tx.one(sql.type(Piece)`
      select string_agg(int4send(prefix), ''::bytea order by prefix) as bytes from (
        select distinct prefix from trust.entries where prefix > ${above}::int8 order by prefix limit ${pieceSize}) as p`)
    if (bytes === null) return
    const piece = new Int32Array(bytes.length / 4)
    for (let i = 0; i < piece.length; i++) piece[i] = bytes.readInt32BE(i * 4)
    yield piece
    if (piece.length < pieceSize) return
    above = piece[piece.length - 1] as number
  }
}
