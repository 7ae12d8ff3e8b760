import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { Storage } from '#lib/storage/storage.ts'
import { sql } from '#sql/db.ts'
import { table as files } from '#sql/files/objects.ts'
import { type NamingTable, namings, page } from '#sql/named-objects.ts'
import { namedObjects, objectKeys } from '#tasks/account/rules/named-objects.ts'
import { storedBytes, storedTogether } from '#tasks/account/rules/stored-bytes.ts'
import { startObjectStore } from '../../ops/embedded/object-store/server.ts'
import { testDatabase } from '../support/database.ts'
import { testOrg } from '../support/ingress.ts'
import { commandLine } from '../support/millrace.ts'
import { playableAsset } from '../support/playable-asset.ts'

const { url, db } = await testDatabase(t)
const { org } = await testOrg(db)
const keys = { accessKey: 'access', secretKey: 'secret' }
const place = { host: '127.0.0.1', port: 0, dir: t.testdir({}), region: 'us-east-1', buckets: ['millrace'] }
const store = await startObjectStore({ ...place, ...keys })
t.teardown(() => store.close())
const storage = new Storage({
  endpoint: store.url,
  publicEndpoint: store.url,
  region: 'us-east-1',
  bucket: 'millrace',
  ...keys,
})
const environment = { S3_ENDPOINT: store.url, S3_ACCESS_KEY: keys.accessKey, S3_SECRET_KEY: keys.secretKey }
const { run } = commandLine(url)

/** A file as the gate keeps it under a key. */
async function insertFile(heldKey: string): Promise<string> {
  const id = newId()
  const usual = { product_key: 'docs', tenant_id: 't', filename: 'a.txt', content_type: 'text/plain', byte_size: 1 }
  const held = {
    scan_status: 'pending' as const,
    place: 'held' as const,
    held_key: heldKey,
    upload_expires_at: new Date(),
  }
  await db.query(sql.typeAlias('void')`
    ${files.insert({ ...usual, ...held, id, org_id: org.id, incoming_key: `incoming/${id}` })}`)
  return id
}

/** All that rows name now. */
async function allNamed(): Promise<string[]> {
  const named = []
  for (const naming of namings)
    for (const row of await page(db, naming, undefined)) named.push(...objectKeys(naming.table, row))
  return named
}

t.test('every table whose rows have bytes in storage is looked at, by its primary key', async (t) => {
  // Uploads and thumbnails of channels name nothing that must be there; recordings are named by their chunks.
  const others = [
    'files.uploads',
    'video.uploads',
    'video.imports',
    'live.channels',
    'live.broadcasts',
    'rooms.recordings',
  ]
  const known = [...Object.keys(storedBytes), ...Object.keys(storedTogether)].filter((name) => !others.includes(name))
  t.same(
    known.filter((name) => !(name in namedObjects)),
    [],
  )
  for (const { table, key } of namings) {
    const Column = z.object({ name: z.string(), type: z.string() })
    const primary = await db.any(sql.type(Column)`
      select a.attname as name, format_type(a.atttypid, null) as type
      from pg_index as i cross join unnest(i.indkey) with ordinality as k (number, place)
      join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.number
      where i.indrelid = ${table}::regclass and i.indisprimary order by k.place`)
    t.same(
      key,
      primary.map(({ name, type }) => [name, type]),
      table,
    )
  }
})

t.test('keys are those under which each area stores', async (t) => {
  const named = (table: NamingTable, facts: Record<string, unknown>) => objectKeys(table, { key: [], facts })
  const plan = { renditions: [{ name: '720p' }, { name: '240p' }] }
  const part = { asset_id: 'a', number: 3, plan, lowest_first: true }
  t.same(named('video.parts', { ...part, kind: 'chunk' }), ['video/work/a/720p_00003.mp4'])
  t.same(named('video.parts', { ...part, kind: 'first' }), ['video/work/a/240p_00003.mp4'])
  t.same(named('video.parts', { ...part, kind: 'chunk', lowest_first: false }).length, 2)
  t.same(named('video.parts', { ...part, kind: 'audio', number: 0, plan: null }), ['video/work/a/audio.mp4'])
  const asset = { id: 'a', poster: true, is_open: true, mezzanine: 'video/work/a/m.mkv' }
  t.same(named('video.assets', asset), [
    'video/sources/a',
    'video/work/a/m.mkv',
    'video/posters/a.jpg',
    'video/open-posters/a.jpg',
  ])
  const body = '#EXTM3U\n#EXT-X-MAP:URI="v_init.mp4"\n#EXTINF:4,\nv_00000.m4s\n#EXTINF:4,\nv_00001.m4s\naudio.m3u8\n'
  const list = { asset_id: 'a', package_id: 'p', body }
  t.same(
    named('video.playlists', list),
    ['v_init.mp4', 'v_00000.m4s', 'v_00001.m4s'].map((file) => `video/packages/a/p/${file}`),
  )
  const track =
    'WEBVTT\n\n00:00.000 --> 00:05.000\nt_0.jpg#xywh=0,0,160,90\n\n00:05.000 --> 00:10.000\nt_0.jpg#xywh=160,0,160,90\n'
  t.same(named('video.playlists', { ...list, body: track }), ['video/packages/a/p/t_0.jpg'])
  t.same(named('wiki.snapshots', { org_id: 'o', sha256: 'h' }), ['wiki/snapshots/o/h'])
  t.same(objectKeys('live.chunks', { key: [], facts: null }), [])
  const variants = named('files.image_variants', { object_id: 'o', id: 'v' })
  const ofObject = storedBytes['files.objects']?.prefixes({ id: 'o', incoming_key: 'i' }) ?? []
  t.ok(
    variants.every((key) => ofObject.some((prefix) => key.startsWith(prefix))),
    'closed and moved with the object',
  )
})

t.test('what rows name and is not there is listed and counted, and is an exit code of 1', async (t) => {
  const kept = await insertFile('files/objects/1/kept')
  const lost = await insertFile('files/objects/2/lost')
  const asset = await playableAsset(db, org.id)
  for (const key of await allNamed()) await storage.put(key, Buffer.from('a'), { contentType: 'text/plain' })
  const whole = await run('storage check', environment)
  t.match(whole, { code: 0, out: /files\.objects +2 +2 +0\n[\s\S]*All referenced objects exist\./ })

  await storage.remove('files/objects/2/lost')
  const segment = `video/packages/${asset.id}/${asset.package_id}/x.m4s`
  await storage.remove(segment)
  const { code, out } = await run('storage check --json', environment)
  const found = JSON.parse(out)
  t.equal(code, 1)
  t.equal(found.missing, 2)
  t.same(found.listed, [
    { table: 'files.objects', row: lost, key: 'files/objects/2/lost' },
    { table: 'video.playlists', row: `${asset.package_id} x.m3u8`, key: segment },
  ])
  t.same(
    found.tables.find(({ table }: { table: string }) => table === 'files.objects'),
    {
      table: 'files.objects',
      rows: 2,
      objects: 2,
      missing: 1,
    },
  )
  t.notMatch(out, kept)
  t.match(await run('storage check --limit 1', environment), {
    code: 1,
    out: /and 1 more: --limit\n\n2 objects .* missing/,
  })
})

t.test('more rows than are read at once are all looked at', async (t) => {
  const naming = namings.find(({ table }) => table === 'files.objects') as (typeof namings)[number]
  for (const name of ['3', '4', '5']) await insertFile(`files/objects/${name}/a`)
  const seen: string[] = []
  for (let after: readonly string[] | undefined; ; ) {
    const rows = await page(db, { ...naming, limit: 2 }, after)
    seen.push(...rows.flatMap((row) => objectKeys('files.objects', row)))
    after = rows.at(-1)?.key
    if (rows.length < 2) break
  }
  t.equal(seen.length, new Set(seen).size)
  t.equal(seen.length, 5)
})

t.test('a store that is away is no missing object, and a wrong limit is told', async (t) => {
  const away = { ...environment, S3_ENDPOINT: 'http://127.0.0.1:1' }
  const { code, err, out } = await run('storage check', away)
  t.equal(code, 1)
  t.match(err, /^The object storage is not responding, so /)
  t.equal(out, '')
  t.match(await run('storage check --limit x', environment), { code: 2, err: /--limit must be a whole number/ })
})
