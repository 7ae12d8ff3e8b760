import { type Db, sql } from '#sql/db.ts'
import { isStillNeeded } from '#sql/partitions/drop.ts'
import { type Family, families } from '#sql/partitions/families.ts'
import { getDivision, list, split } from '#sql/partitions/list.ts'
import { getNextPeriodStart } from '#sql/partitions/periods.ts'
import { number } from '../output.ts'
import { type Finding, fault, well } from './finding.ts'

/** Maximum number of rows that are counted exactly. */
const most = 10_000

/**
 * Time in milliseconds that an expired partition may still exist: one day, in which the task that drops it runs
 * repeatedly.
 */
const dayMs = 86_400_000

export async function checkPartitions(
  db: Db,
  now = new Date(),
  of: readonly Family[] = families,
): Promise<Finding | Finding[]> {
  const findings = (await Promise.all(of.map((family) => look(db, family, now)))).flat()
  if (findings.length > 0) return findings
  return well(
    'partitions',
    `${of.flatMap(({ members }) => members).length} tables have partitions ahead, and no expired ones`,
  )
}

async function look(db: Db, family: Family, now: Date): Promise<Finding[]> {
  const findings: Finding[] = []
  const say = (found: string, todo: string) => findings.push(fault('partitions', found, todo))
  const [{ name: first }] = family.members
  const { end, over, period } = await getDivision(db, family, now)
  if (end === null) {
    say(`${first} contains IDs from the future, so it covers all times`, 'see ops/OPERATE.md, Partitioned tables')
  } else if (end < getNextPeriodStart(period, now)) {
    say(`${first} has partitions only until ${day(end)}`, 'find out why jobs/keep-partitions fails or does not run')
  }
  for (const one of over.filter(({ to }) => to !== null)) {
    const late = await getDivision(db, family, new Date(now.getTime() - dayMs))
    if (!late.over.some(({ name }) => name === one.name) || (await isStillNeeded(db, family, one))) continue
    say(
      `${split(first)[0]}.${one.name} has expired but could not be dropped for a day`,
      'find the open transactions in pg_stat_activity and end them; jobs/keep-partitions retries every hour',
    )
  }
  for (const { name } of family.members) {
    const rest = (await list(db, name)).find((one) => one.rest)
    if (!rest) continue
    const count = await db.oneFirst(sql.typeAlias('count')`
      select count(*) from (select from ${sql.identifier([split(name)[0], rest.name])} limit ${most + 1}) as counted`)
    if (count > 0) {
      say(
        `${name} has ${count > most ? `more than ${number(most)}` : number(count)} rows whose IDs match no other partition`,
        'synchronise the clocks with NTP; see ops/OPERATE.md, Partitioned tables',
      )
    }
  }
  return findings
}

const day = (at: Date) => at.toISOString().slice(0, 10)
