import type pg from 'pg'

/** The last migration of the release before the baselines. A database of that release has what the baselines create. */
const lastBefore = '0094_email_contacts_written'

const lastBaseline = '0094_account_fences'

/**
 * Returns the migrations that this database has run, without the migrations before the baselines. They stay in the
 * table for processes of the release before.
 */
export async function listExecutedMigrations(client: pg.Client): Promise<string[]> {
  return omitFormer(await listAll(client))
}

/** Returns the migrations without those before the baselines, which only an upgraded database has run. */
export const omitFormer = (ran: readonly string[]): string[] => ran.slice(ran.indexOf(lastBefore) + 1)

/**
 * Marks the baselines as run in a database of the release before. Rejects a database of an older release, because only
 * the release before contains its missing migrations.
 */
export async function markBaselines(client: pg.Client, known: readonly string[]): Promise<void> {
  const baselines = known.slice(0, known.indexOf(lastBaseline) + 1)
  const ran = await listAll(client)
  if (ran.length === 0 || ran.some((name) => baselines.includes(name))) return
  if (!ran.includes(lastBefore)) {
    throw new Error(
      `This database is too old for this release: its last migration is ${ran.at(-1)}. First run the migrations of the release that ends with ${lastBefore}, then the migrations of this release.`,
    )
  }
  await client.query(
    `insert into public.migrations (name, run_on)
     select name, (select max(run_on) from public.migrations where name = $2)
     from unnest($1::text[]) with ordinality as baseline (name, place) order by place`,
    [baselines, lastBefore],
  )
}

async function listAll(client: pg.Client): Promise<string[]> {
  const { rows: found } = await client.query(`select to_regclass('public.migrations') is not null as there`)
  if (!found[0]?.there) return []
  const { rows } = await client.query<{ name: string }>('select name from public.migrations order by run_on, id')
  return rows.map(({ name }) => name)
}
