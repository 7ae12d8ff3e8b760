import { readFile } from 'node:fs/promises'
import type pg from 'pg'

export const formerMigrations: readonly string[] =
  `account jobs video jobs_operations jobs_history jobs_fairness account_sessions
  video_watermarks video_playback_rules video_quality video_captions video_domains video_ladder files files_metadata files_retention
  files_releases jobs_rescue jobs_scratch jobs_depths_held account_storage video_left_out jobs_rejected jobs_retention jobs_channels
  webhooks email email_sending email_contacts email_delivery email_inbound push notify guard trust ai bots wiki directory guard_assess
  wiki_evidence erp identity voice whatsapp video_live video_rooms video_live_listing video_room_chunks account_row_types
  video_live_takeovers account_visitors bots_search email_losses jobs_loop_delay email_sandbox email_taken email_kept
  email_messages_status guard_noscript_limit voice_call push_devices whatsapp_conversations wiki_proof wiki_prefixes bots_passages
  jobs_lease video_rooms_empty jobs_leaseholders video_live_refusals`
    .split(/\s+/)
    .map((what, index) => `${String(index + 1).padStart(4, '0')}_${what}`)

const lastBaseline = '0030_account_storage'

/**
 * Returns the migrations that this database has run, without the former migrations. The former migrations stay in the
 * table for the previous release.
 */
export async function listExecutedMigrations(client: pg.Client): Promise<string[]> {
  return (await allRan(client)).filter((name) => !formerMigrations.includes(name))
}

/**
 * Updates a database with the former migrations to match the baselines, and marks the baselines as run, in one
 * transaction. Rejects a database that has run only some of the former migrations, because only the release of those
 * migrations contains the rest.
 */
export async function markBaselines(client: pg.Client, known: readonly string[]): Promise<void> {
  const baselines = known.slice(0, known.indexOf(lastBaseline) + 1)
  const ran = await allRan(client)
  if (ran.length === 0 || ran.some((name) => baselines.includes(name))) return
  const strange = ran.filter((name) => !formerMigrations.includes(name))
  if (strange.length > 0)
    throw new Error(
      `This database has run the migration ${strange.join(', ')}, which this release does not contain. Use a newer release.`,
    )
  const lacks = formerMigrations.find((name) => !ran.includes(name))
  if (lacks !== undefined) {
    throw new Error(
      `This database needs ${lacks} of an earlier release. First run the migrations of the release that ends with ${formerMigrations.at(-1)}, then the migrations of this release.`,
    )
  }
  await client.query('begin')
  try {
    await client.query(await readFile(new URL('./to-baselines.sql', import.meta.url), 'utf8'))
    await client.query(
      `insert into public.migrations (name, run_on)
       select name, (select greatest(now()::timestamp, max(run_on)) from public.migrations)
       from unnest($1::text[]) with ordinality as baseline (name, place) order by place`,
      [baselines],
    )
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

async function allRan(client: pg.Client): Promise<string[]> {
  const { rows: found } = await client.query(`select to_regclass('public.migrations') is not null as there`)
  if (!found[0]?.there) return []
  const { rows } = await client.query<{ name: string }>('select name from public.migrations order by run_on, id')
  return rows.map(({ name }) => name)
}
