import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import type { DevFacts } from '../../../ops/start/dev-facts.ts'
import { Millrace, type WebhookEvent, webhooks } from '../../../sdk/node/src/index.ts'
import { pageOf, pdf } from '../../support/pdf.ts'
import { until } from '../../support/until.ts'
import { fileServer } from '../../video/file-server.ts'
import { dropBoxWork } from './drop-box-work.ts'
import { ShopKnowledge } from './shop-knowledge.ts'

const tenant = 'harbour'
const contract = (end: string) =>
  new Uint8Array(pdf([pageOf(['Contract of rental']), pageOf([`Each bike comes back by ${end} on the same day.`])]))

/** What the bike rental knows, and of whom, on what `npm start` has brought up; webhooks go to plain HTTP there. */
export async function knowledgeWorks(t: Test, facts: DevFacts): Promise<void> {
  const as = (apiKey: string) => new Millrace({ baseUrl: facts.base_url, apiKey })
  const client = as(facts.keys.millrace as string)
  const shop = new ShopKnowledge(client, tenant)
  t.jobs = 6
  const parts = { partners, papers, recordings, reports, rules, companies, answers, riders }
  await Promise.all(Object.entries(parts).map(([name, part]) => t.test(name, (t) => part(t, { client, shop, as }))))
}

interface Ground {
  client: Millrace
  shop: ShopKnowledge
  as: (apiKey: string) => Millrace
}

/** A bad page is known among a hundred, robots are kept off, and it is told where somebody comes from. */
async function partners(t: Test, { client, shop, as }: Ground): Promise<void> {
  const bad = 'http://malware.example/bikes'
  const pages = Array.from({ length: 99 }, (_, i) => `https://partner-${i}.example/`)
  t.same(await shop.watch([...pages, bad]), [bad])
  t.match((await client.trust.watches.list({ verdict: 'malicious' })).data, [{ url: bad, note: 'a partner' }])
  t.match(await client.geo.lookups.me(), { ip: '127.0.0.1', bogon: true, bogon_type: 'loopback' })

  const site = await shop.protect('Sign-up', 'https://bikes.example')
  const { token } = await as(site.site_key).guardToken('sign-up')
  const verify = () => client.guard.tokens.verify({ token, action: 'sign-up', site_id: site.id })
  t.match(await verify(), { valid: true, tier: 'low' })
  t.match(await verify(), { valid: false, reason: 'replayed' })
}

/** A contract is filed, looked at, and replaced by its next version. */
async function papers(t: Test, { client, shop }: Ground): Promise<void> {
  const paper = await shop.file({ filename: 'contract.pdf', bytes: contract('18:00') })
  const isServed = async (version: number) => {
    const object = await client.files.objects.read(paper)
    return object.version === version && object.scan_status === 'clean'
  }
  await until(() => isServed(1), { what: 'the contract is clean' })
  await shop.replace(paper, contract('19:00'))
  await until(() => isServed(2), { what: 'the next version is served' })
  const { data } = await client.files.versions.list(paper)
  t.same(new Set(data.map(({ version, served }) => `${version} ${served}`)), new Set(['1 false', '2 true']))
  t.same((await shop.picture(paper, 2)).subarray(0, 2), [0xff, 0xd8])
  const filed = 'rentals/1042/contract-1042.pdf'
  t.same(await shop.archive(paper, '1042'), [filed, filed, filed, 'rentals/1042'])
  await shown(t, shop, paper)
}

/** A recording that broke off is continued, and a rider's page files another without a key. */
async function recordings(t: Test, { client, shop, as }: Ground): Promise<void> {
  const bytes = new Uint8Array(randomBytes(11_000_000))
  const ending = new AbortController()
  const watch = setInterval(async () => {
    const [open] = (await client.files.multipart.list({ product_key: 'bike-rental' })).data
    const had = open && (await client.files.multipart.read(open.object_id)).parts_received
    if (had && had.length > 0) ending.abort()
  }, 20)
  const id = await shop.record(bytes, { signal: ending.signal })
  clearInterval(watch)
  t.equal(await shop.record(bytes, { id }), id)
  const { upload_token: token, upload_token_id } = await shop.letFile('https://bikes.example')
  const page = as(token)
  const filed = await page.uploadFile(bytes.subarray(1), {
    token,
    filename: 'mine.bin',
    content_type: 'application/octet-stream',
  })
  t.match(filed, { tenant_id: tenant, product_key: 'bike-rental' })
  await client.files.uploadTokens.revoke(upload_token_id)
  const more = page.uploadFile(bytes, { token, filename: 'more.bin', content_type: 'application/octet-stream' })
  await t.rejects(more, { status: 401, code: 'unauthorized' })
  for (const one of [id, filed.object_id]) {
    await until(async () => (await client.files.objects.read(one)).scan_status === 'clean', { what: 'it is clean' })
  }
}

const reports = (t: Test, { client }: Ground) => dropBoxWork(t, client)

/** The contract is on the web site, then each customer has a URL of their own, until it is taken back. */
async function shown(t: Test, shop: ShopKnowledge, paper: string): Promise<void> {
  const url = await shop.showToAll(paper)
  const open = await fetch(url, { headers: { range: 'bytes=0-3' } })
  t.match([open.status, await open.text()], [206, '%PDF'])
  t.match(open.headers.get('content-disposition'), /^inline; filename="contract-1042.pdf"/)
  const lent = await shop.lend(paper)
  t.equal((await fetch(url)).status, 403)
  const own = await fetch(lent)
  t.match([own.status, own.headers.get('content-disposition')], [200, /^attachment/])
  await own.body?.cancel()
  await shop.takeBack(paper)
  t.equal((await fetch(lent)).status, 403)
}

/** A rule is proven by a page of a PDF, approved by another than wrote it, found, and taken along. */
async function rules(t: Test, { client, shop, as }: Ground): Promise<void> {
  const elsewhere = await fileServer(t, { '/contract.pdf': (_, response) => response.end(contract('18:00')) })
  const quote = 'Each bike comes back by 18:00 on the same day'
  const value = { type: 'string' as const, content: '18:00' }
  const proof = { uri: elsewhere.url('/contract.pdf'), quote, property: 'closing_hour', value }
  const { rule, slug, claim } = await shop.write('Rules of the rental', 'Return of bikes', proof)
  const proven = await until(
    async () => {
      const found = await client.wiki.claims.read(claim)
      return found.status === 'supported' && found
    },
    { what: 'the contract proves the rule' },
  )
  t.match(proven.references, [{ page: 2, quote_verified: true }])
  const reviewer = await shop.reviewer(as)
  await t.rejects(shop.publish(rule), { status: 409, code: 'review_required' })
  const [first] = (await client.wiki.articleVersions.list(rule)).data
  await reviewer.wiki.reviews.create(rule, first?.id ?? '', { decision: 'approved', reviewer: 'Gus' })
  await shop.publish(rule)
  t.match(await client.wiki.readers.read(slug), { status: 'published', evidence: { claims: 1, supported: 1 } })
  const { articles } = await client.wiki.tree.readAll()
  t.match(
    articles.find(({ id }) => id === rule),
    { depth: 1 },
  )
  t.match((await client.wiki.transfer.read(rule)).document, quote)
  t.match(await client.wiki.search.find({ q: 'return' }), { entities: [{ labels: { en: 'Return of bikes' } }] })
  t.match(await client.wiki.search.find({ q: 'closing' }), { claims: [{ id: claim }] })
}

/** A company that pays for its people's rides is known by its register, which tells of no officers. */
async function companies(t: Test, { client, shop }: Ground): Promise<void> {
  t.match(await shop.company('kestrell enrgy'), {
    company: { name: /^Kestrel Energy/, source: { register: 'Made-up companies' } },
    officers: { known: false, data: [] },
  })
  t.match((await client.erp.registers.list()).data, [{ name: 'Made-up companies', what: 'companies' }])
  t.ok((await client.erp.companies.search({ q: 'energy', limit: 50 })).data.length > 5)
}

/** A bot answers with a quote, so does a question to a text; a model that nobody has set up is told as such. */
async function answers(t: Test, { client, shop }: Ground): Promise<void> {
  const known = 'The shop opens at nine. Bikes come back by six in the evening. Helmets are lent for nothing.'
  const bot = await shop.bot('Harbour Bikes', known)
  const { message } = await client.bots.chat.create(bot, { message: 'When do bikes come back?' })
  const [answered] = message.citations
  t.equal(known.slice(answered?.start, answered?.end), answered?.quote)
  t.match(answered?.quote, 'by six in the evening')
  const documents = [{ id: 'rules', text: known }]
  const { citations } = await client.ai.answer.create({ question: 'Are helmets lent?', documents })
  t.match(citations, [{ document_id: 'rules', quote: /^Helmets/ }])

  t.same((await client.ai.models.list()).data, [])
  const missing = { status: 503, code: 'not_configured', message: /AI_ENGINE=upstream/ }
  const once = { maxRetries: 0 }
  const messages = [{ role: 'user' as const, content: 'Hello' }]
  await t.rejects(client.ai.completions.create({ model: 'default', messages }, once), missing)
  await t.rejects(client.ai.embeddings.create({ model: 'default', input: 'Hello' }, once), missing)
}

/** A rider consents by a link, and is verified by who has seen the passport; a signed webhook tells both decisions. */
async function riders(t: Test, { client, shop }: Ground): Promise<void> {
  const told: Promise<WebhookEvent>[] = []
  let secret = ''
  const listener = await fileServer(t, {
    '/told': (request, response) => {
      told.push(text(request).then((body) => webhooks.verify(body, request.headers, secret)))
      response.writeHead(204).end()
    },
  })
  const types = ['identity.check.decided']
  secret = (await client.account.webhooks.create({ url: listener.url('/told'), types })).secret

  const consent = await shop.ask('rider-0')
  t.match(consent, { requirement: 'identity.consent', action: 'give_consent' })
  const page = consent?.prompt_url ?? ''
  t.match(await (await fetch(page)).text(), 'I agree')
  t.equal((await fetch(page, { method: 'POST' })).status, 200)
  t.match(await shop.ask('rider-0'), { requirement: 'identity.document', action: 'upload_document' })
  await shop.verify('rider-0')
  t.equal(await shop.ask('rider-0'), null)
  await until(() => told.length === 2, { what: 'both decisions are told' })
  const decided = (await Promise.all(told)).map((event) => {
    if (!webhooks.isKnown(event) || event.type !== 'identity.check.decided') return event.type
    const { subject, requirement, status, method } = event.data
    return `${subject}: ${requirement} is ${status} by ${method}`
  })
  t.same(decided.toSorted(), [
    'rider-0: identity.consent is verified by consent',
    'rider-0: identity.document is verified by api',
  ])
}
