import { type Db, sql } from '#sql/db.ts'

/**
 * Fills the directory with public assets. Titles use some common words and 20,000 rare ones, and half of the assets
 * have a description. The first of a thousand channels has a fifth of all assets. Rows that triggers
 * would add one by one are added together.
 */
export async function fill(db: Db, orgId: string, videos: number): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into directory.channels (id, org_id, handle, name, description)
    select ${uuidOf('n')}, ${orgId}, 'channel-' || n, 'Channel ' || n || ' of railways', 'Number ' || n
    from generate_series(0, 999) as n`)
  const some = sql.fragment`generate_series(1, ${videos}::int) as n`
  await triggersAre('disable', db)
  await db.query(sql.typeAlias('void')`
    insert into video.assets (id, org_id, title, bytes, visibility, status, stage, duration_seconds, width, height, poster)
    select ${uuidOf('n')}, ${orgId},
      (array['History', 'Building', 'The end', 'A short tour', 'Winter'])[1 + n % 5] || ' of the '
        || (array['railway', 'bridge', 'tunnel', 'harbour', 'zeppelin', 'canal', 'lighthouse'])[1 + n % 7]
        || ' ' || n || ' ' || left(translate(md5((n % 20000)::text), '0123456789', 'ghijklmnop'), 9)
        || case when n % 50 = 0 then ' rare ' || n / 50 else '' end,
      1000, 'public', 'ready', 'ready', 20 + n % 2000, case when n % 3 = 0 then 720 else 1280 end,
      case when n % 3 = 0 then 1280 else 720 end, true
    from ${some}`)
  await db.query(sql.typeAlias('void')`
    insert into directory.videos (id, org_id, listed, poster, captions, published_at, channel_id, description, tags,
      asset_title, duration_seconds, width, height)
    select a.id, a.org_id, true, true, '{}', date_trunc('milliseconds', now() - n * interval '97 seconds'), c.id,
      case when n % 2 = 0 then repeat('How the railway and its stations came to be, told by those who saw it. ', 3) else '' end,
      array['trains', 'number ' || n % 100], a.title, a.duration_seconds, a.width, a.height
    from ${some} join video.assets as a on a.id = ${uuidOf('n')}
    join directory.channels as c on c.handle = 'channel-' || case when n % 5 = 0 then 0 else n % 1000 end`)
  await db.query(sql.typeAlias('void')`
    insert into directory.words
    select distinct w.lexeme from directory.videos as v cross join unnest(v.search) as w where w.lexeme ~ '^[^0-9]{4,40}$'
    on conflict do nothing`)
  await triggersAre('enable', db)
  await db.query(sql.typeAlias('void')`vacuum analyze`)
}

async function triggersAre(state: 'enable' | 'disable', db: Db): Promise<void> {
  const words = state === 'enable' ? sql.fragment`enable trigger user` : sql.fragment`disable trigger user`
  await db.query(sql.typeAlias('void')`alter table video.assets ${words}`)
  await db.query(sql.typeAlias('void')`alter table directory.videos ${words}`)
}

const uuidOf = (n: 'n') =>
  sql.fragment`('01980000-0000-7000-8000-' || lpad(${sql.identifier([n])}::text, 12, '0'))::uuid`
