import pg from 'pg'
import { type Benchmark, median } from './benchmark.ts'
import { runChild } from './child.ts'
import type { RateSettings } from './claim-plan/rate.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import { noOp } from './no-op.ts'
import { limitSchema, makeLimitSchema } from './queue/limit.ts'

const analyzes = 6
const small = 4_000

export const claimPlan: Benchmark = {
  summary: 'jobs in the slowest second compared with the median second, while statistics are analysed at bad times',
  options: {
    seconds: { about: 'seconds of each run', default: 100 },
    large: { about: 'jobs in the large backlog', default: 1_000_000 },
  },
  async run({ seconds = 100, large = 1_000_000 }, ends) {
    const url = await createBenchmarkDatabase(await createBenchmarkFolder(ends), ends)
    await makeLimitSchema(url)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    ends.defer(() => client.end())
    const rates = async (side: RateSettings['side'], backlog: number) => {
      const schema = side === 'limit' ? limitSchema : 'jobs_core'
      await believedEmpty(client, schema, backlog)
      const settings: RateSettings = { url, side, schema, seconds, analyzes }
      const found = await runChild<number[]>('./claim-plan/rate.ts', settings)
      console.log(`  ${side}, ${backlog.toLocaleString('en')}: slowest ${Math.round(Math.min(...found))} jobs/s`)
      return found
    }
    const [few, many, alone] = [
      await rates('product', small),
      await rates('product', large),
      await rates('limit', small),
    ]
    const compared = (backlog: number, found: number[]) => ({
      what: `slowest second compared with the median, ${backlog.toLocaleString('en')} waiting`,
      unit: 'jobs/s',
      limit: median(found),
      product: Math.min(...found),
      demand: { atLeast: 0.8 },
    })
    return {
      comparisons: [compared(small, few), compared(large, many)],
      notes: [
        `64 slots, 1 ms of work, ${seconds} s with ${analyzes} analyzes, starting with one on a queue of locked and dead jobs`,
        `plain graphile-worker with ${small.toLocaleString('en')}: ${(Math.min(...alone) / median(alone)).toFixed(2)} of ${Math.round(median(alone)).toLocaleString('en')} jobs/s`,
      ],
      rounds: { few, many, alone },
    }
  },
}

/** Creates a backlog whose statistics show a single locked job. */
async function believedEmpty(client: pg.Client, schema: string, backlog: number): Promise<void> {
  const jobs = `${schema}._private_jobs`
  const add = async (jobs: number) => {
    for (let left = jobs; left > 0; left -= 50_000) {
      await client.query(
        `select from ${schema}.add_jobs(array(
          select row($1, '{"payload":{}}', null, null, null, null, null, null)::${schema}.job_spec
          from generate_series(1, $2::integer)))`,
        [noOp.name, Math.min(left, 50_000)],
      )
    }
  }
  await client.query(`truncate ${jobs}`)
  await add(small)
  await client.query(`delete from ${jobs} where id < (select max(id) from ${jobs})`)
  await client.query(`update ${jobs} set locked_at = now(), locked_by = 'another'`)
  await client.query(`vacuum analyze ${jobs}`)
  await add(backlog)
}
