import '../support/webhooks-environment.ts'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { requestClosure } from '#tasks/account/rules/closure.ts'
import { type Scope, scopes } from '#tasks/account/rules/scopes.ts'
import { identifyKey } from '#tasks/live/rules/stream-keys.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret, storage } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { testStore } from '../support/video-stack.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const store = await testStore(t)
const services = [
  provide(signingSecret, 'a secret of this test, long enough to sign with'),
  provide(storage, store.storage),
]
const { ask, url } = await testIngress(t, db, [], { services, keyCacheMs: 100 })
const everyScope = (Object.keys(scopes) as Scope[]).filter((scope) => scope !== 'operator')
const actor = { kind: 'user', id: 'u1', name: 'Ada' } as const
const close = (orgId: string) => db.transaction((tx) => requestClosure(tx, { orgId, actor }))
const user = '0198f1c2-7f00-7000-8000-000000000001'

/** An asset that can be played, without the work that makes one. */
async function playable(orgId: string, assetId: string) {
  await db.query(sql.typeAlias('void')`
    update video.assets set status = 'ready', visibility = 'public', package_id = gen_random_uuid() where id = ${assetId} and org_id = ${orgId}`)
}

/** What strangers can open of an organisation, each by a token or at a public address. */
async function scene() {
  const { org, keys } = await testOrg(db, everyScope)
  const key = keys.main as string
  const made = async (request: string, body: object) => {
    const reply = await ask(request, { key, body })
    if (reply.status >= 300) throw new Error(`${request} ${reply.status} ${reply.text}`)
    return reply.body
  }
  const inbox = await made('POST /v1/notify/stream-tokens', { user_id: user, marks: true })
  const { assetId } = await made('POST /v1/stream/uploads', { bytes: 1_000, title: 'Open to all' })
  await playable(org.id, assetId)
  const view = await made(`POST /v1/stream/assets/${assetId}/playback-sessions`, { host: '127.0.0.1' })
  const { channelId } = await made('POST /v1/stream/live/channels', { name: 'Open', visibility: 'public' })
  const live = await made(`POST /v1/stream/live/channels/${channelId}/playback-sessions`, { host: '127.0.0.1' })
  const { roomId } = await made('POST /v1/stream/rooms', { name: 'Open' })
  const room = await made(`POST /v1/stream/rooms/${roomId}/tokens`, { identity: 'ann' })
  const { id: listId } = await made('POST /v1/streaming/playlists', {
    title: 'Open',
    visibility: 'public',
    videos: [assetId],
  })
  const handle = `open-${org.id.slice(-8)}`
  await made('POST /v1/streaming/channels', { handle, name: 'Open' })
  const article = await made('POST /v1/wiki/articles', { title: `Open ${org.id.slice(-8)}`, body: 'Words.' })
  await db.query(sql.typeAlias('void')`
    update wiki.articles set status = 'published', published_version = version where id = ${article.id}`)
  const { next_step: step } = (await ask(`GET /v1/identity/readiness?idp_sub=${user}`, { key })).body
  const path = (text: string) => text.replace(url, '')
  const bearer = { authorization: `Bearer ${inbox.token}` }
  return {
    org,
    key,
    inbox,
    channelId,
    ways: {
      feed: [`GET /v1/notify/feed`, bearer],
      embed: [`GET ${path(view.embedUrl)}`],
      playlist: [`GET ${path(view.hlsUrl)}`],
      open: [`GET /v1/stream/open/${assetId}/embed`],
      'live page': [`GET ${path(live.embedUrl)}`],
      room: [`GET /v1/stream/rooms/${roomId}/connect?token=${room.token}`],
      watch: [`GET /watch/${assetId}`],
      list: [`GET /watch/playlists/${listId}`],
      channel: [
        `GET /v1/streaming/channels/${handle}`,
        { authorization: `Bearer ${(await testOrg(db, everyScope)).keys.main}` },
      ],
      wiki: [`GET /wiki/${article.slug}`],
      prompt: [`GET ${new URL(step.prompt_url).pathname}`],
    } as Record<string, [string, Record<string, string>?]>,
  }
}

const statusOf = async ([request, headers = {}]: [string, Record<string, string>?]) =>
  (await ask(request, { headers })).status

t.test('tokens and public pages of a closed organisation lead nowhere, and those of others still do', async (t) => {
  const [closed, other] = [await scene(), await scene()]
  const before: Record<string, number> = Object.fromEntries(
    await Promise.all(Object.entries(closed.ways).map(async ([name, way]) => [name, await statusOf(way)])),
  )
  for (const [name, status] of Object.entries(before))
    t.ok(status < 300 || status === 404 || status === 503, `${name} ${status}`)
  const opened = Object.entries(before).flatMap(([name, status]) => (status < 300 ? [name] : []))
  t.same(opened.sort(), ['channel', 'embed', 'feed', 'list', 'live page', 'open', 'prompt', 'watch', 'wiki'].sort())
  const stream = await fetch(closed.inbox.url)
  t.equal(stream.status, 200)
  const publisher = ({ channelId }: typeof closed) => identifyKey(db, { srtChannelId: channelId })
  t.match(await publisher(closed), { source: 'srt' })
  await close(closed.org.id)
  t.equal(await publisher(closed), null, 'an encoder at the SRT port of a channel')
  t.match(await publisher(other), { source: 'srt' })
  const ended = await Promise.race([
    stream.text().then(() => 'ended'),
    new Promise((done) => setTimeout(done, 90_000, 'open').unref()),
  ])
  t.equal(ended, 'ended', 'the open stream ends')
  for (const [name, way] of Object.entries(closed.ways)) {
    // What is known of a key is believed for some seconds.
    const isOver = async () => [401, 403, 404, 410].includes(await statusOf(way))
    t.ok(await until(isOver, { what: `${name} leads nowhere`, timeout: 9_000 }), name)
  }
  for (const name of opened) t.ok((await statusOf(other.ways[name] as [string])) < 300, `${name} of another`)
})

/** Tables that accept rows of a closed organisation, by why. */
const open = {
  'it says what was done, asked or used':
    /^(account|jobs)\.(?!invitations|keys|members|upload_tokens)|\.usage$|^ai\.(?!settings|audio$)|daily$|^files\.delivery_days$|^video\.audience_|^(email\.erased_addresses|verify\.counters)$/,
  'it notes what becomes of what was sent':
    /^(email\.(attempts|deliveries|contact_events|strikes|suppressions|reputation|past_|engagement|message_tags|merges|contents|inbound$|sandbox_contact_events)|push\.(attempts|deliveries)|webhooks\.(deliveries|events|event_streams|settings|streamed_events)|notify\.(broadcast_people|copies|digests|editions|run_fetches|runs|run_steps|throttles|workflow_versions))/,
  'its rows hang on fenced ones':
    /^(work\.(keys|dedupe_keys|flow_jobs)$|bots\.(assignments|rating_days)$|directory\.(videos|live_streams)|email\.(dkim_keys|dmarc_rows|import_rows)|files\.(images|object_metadata|releases|scans|state_changes)|guard\.assessments|live\.broadcasts|push\.device_counts|rooms\.recordings|video\.(asset_metadata|caption_cues|captions|embedding|mp4s)|verify\.conversion_days|voice\.numbers|whatsapp\.receivers|wiki\.(article_places|loose_bytes|published|settings))/,
}

t.test('every table refuses new rows of a closed organisation, or is named with why it accepts them', async (t) => {
  const Table = z.object({ name: z.string(), fenced: z.boolean() })
  const tables = await db.any(sql.type(Table)`
    select n.nspname || '.' || c.relname as name,
      exists (select from pg_trigger where tgrelid = c.oid and tgname = 'refuse_closed') as fenced
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition
      and exists (select from pg_attribute where attrelid = c.oid and attname = 'org_id' and not attisdropped)`)
  t.ok(tables.filter(({ fenced }) => fenced).length > 50)
  const isOpen = (name: string) => Object.values(open).some((pattern) => pattern.test(name))
  t.same(
    tables.filter(({ name, fenced }) => fenced === isOpen(name)).map(({ name }) => name),
    [],
  )
})

t.test('a row that comes late is refused, and one of another organisation beside it is not lost', async (t) => {
  const [closed, other] = [(await testOrg(db)).org.id, (await testOrg(db)).org.id]
  const add = (orgId: string) =>
    db.query(sql.typeAlias('void')`
      insert into notify.preferences (id, org_id, user_id, product_key, type, channels)
      values (gen_random_uuid(), ${orgId}, ${user}, 'shop', 'order', '{}')`)
  await close(closed)
  await t.rejects(add(closed), /is closed/)
  await add(other)
})
