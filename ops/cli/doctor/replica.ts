import { config } from '#lib/config.ts'
import { type DatabasePool, type Db, openPool } from '#sql/db.ts'
import { follows, type Position, readPosition, readStanding, type Standing } from '#sql/wal.ts'
import { number } from '../output.ts'
import { type Finding, fault, well } from './finding.ts'

const todo = 'set DATABASE_REPLICA_URL to a hot standby of the server that DATABASE_URL names'

export async function checkReplica(primary: Db): Promise<Finding> {
  const url = config.DATABASE_REPLICA_URL
  if (!url) return well('replica', 'none: DATABASE_REPLICA_URL is not set, so the primary runs all reads')
  const position = await readPosition(primary)
  let standby: DatabasePool | undefined
  try {
    standby = await openPool(url, 1, 5_000, 4_000, 0)
    return judged(await readStanding(standby, position), position)
  } catch (error) {
    return fault(
      'replica',
      (error as Error).message,
      'start it, or correct DATABASE_REPLICA_URL; the primary runs its reads',
    )
  } finally {
    await standby?.end()
  }
}

function judged(standing: Standing, position: Position): Finding {
  const { standby, system, timeline, bytes, reached, seconds } = standing
  if (!standby) return fault('replica', 'it is a primary, not a standby, and is not used for reads', todo)
  if (system !== position.system)
    return fault(
      'replica',
      `it belongs to a different system (${system}, not ${position.system}) and is not used for reads`,
      todo,
    )
  if (!follows(standing, position)) {
    const found = `it is on timeline ${timeline}, the database on ${position.timeline}, so it is not used for reads`
    return fault('replica', found, 'wait for its next checkpoint, or check whether it follows the new primary')
  }
  const behind = reached ? 0 : (seconds ?? 0)
  const found = `a standby of the database, ${number(bytes)} bytes and ${behind.toFixed(1)} s behind`
  return behind <= Math.max(5, config.DATABASE_REPLICA_LAG_SECONDS)
    ? well('replica', found)
    : fault(
        'replica',
        `${found}: the primary runs its reads`,
        'check pg_stat_replication, and whether its replay is paused',
      )
}
