import type { Millrace, WikiClaimsCreateBody } from '../../../sdk/node/src/index.ts'

/** A PDF, and what it is called. */
export interface Paper {
  filename: string
  bytes: Uint8Array<ArrayBuffer>
}

/** What a quote is to prove. */
export interface Proof {
  uri: string
  quote: string
  property: string
  value: WikiClaimsCreateBody['value']
}

/** What a bike rental's server does by the SDK with what it knows of its partners, its papers, its rules and its riders. */
export class ShopKnowledge {
  readonly #client: Millrace
  readonly #tenant: string

  constructor(client: Millrace, tenant: string) {
    this.#client = client
    this.#tenant = tenant
  }

  /** Which of the partners' pages are known to be bad; from now on all are watched. */
  async watch(partners: readonly string[]): Promise<string[]> {
    const { checkUrls, watches } = this.#client.trust
    const urls = [...partners]
    const { results } = await checkUrls.check({ urls })
    await watches.makeMany({ urls, note: 'a partner' })
    return results.flatMap(({ asked, verdict }) => (verdict === 'malicious' ? [asked] : []))
  }

  /** A form that robots shall not fill in: its site, and a client such as its page has. */
  async protect(name: string, origin: string) {
    return await this.#client.guard.sites.create({
      name,
      origins: [origin],
      policy: { min_tier: 'low', max_tier: 'low' },
    })
  }

  /** Files a paper. */
  async file({ filename, bytes }: Paper): Promise<string> {
    const facts = { product_key: 'bike-rental', tenant_id: this.#tenant, content_type: 'application/pdf' }
    return (await this.#client.uploadFile(bytes, { ...facts, filename })).object_id
  }

  /** Files what takes the place of a paper; the one before is handed out until this one is found clean. */
  async replace(paper: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const { uploads, versions } = this.#client.files
    const facts = { content_type: 'application/pdf', byte_size: bytes.length }
    const { object_id, upload_url, upload_headers: headers } = await versions.start(paper, facts)
    await fetch(upload_url, { method: 'PUT', headers, body: bytes })
    await uploads.complete(object_id)
  }

  /** Shows a paper to everyone. Its URL stays when the paper is replaced. */
  async showToAll(paper: string): Promise<string> {
    const { url } = await this.#client.files.objects.update(paper, { visibility: 'public' })
    if (url === null) throw new Error('A public paper has no URL.')
    return url
  }

  /** Shows a paper to a customer alone, who gets a URL of their own. */
  async lend(paper: string): Promise<string> {
    await this.#client.files.objects.update(paper, { visibility: 'signed' })
    return (await this.#client.files.signedUrls.create(paper, { expires_in: 600, disposition: 'attachment' })).url
  }

  /** Ends what was lent. */
  async takeBack(paper: string): Promise<void> {
    await this.#client.files.signedUrls.revoke(paper)
  }

  /** A page of a paper, as a picture. */
  async picture(paper: string, page: number): Promise<Uint8Array> {
    const { preview_url } = await this.#client.files.previews.create(paper, { page, size: 200 })
    return new Uint8Array(await (await fetch(preview_url)).arrayBuffer())
  }

  /** Writes a rule down below its chapter, with a claim that waits for its proof. */
  async write(chapter: string, title: string, { uri, quote, property, value }: Proof) {
    const { articles, claims, entities, snapshots, sources, tree } = this.#client.wiki
    const [top, rule, source, entity] = await Promise.all([
      articles.create({ title: chapter, body: 'What follows.' }),
      articles.create({ title, body: `${quote}.` }),
      sources.create({ uri }),
      entities.create({ type: 'rule', labels: { en: title } }),
    ])
    await tree.put(rule.id, { parent_id: top.id })
    const { id: snapshot_id } = await snapshots.create(source.id)
    const references = [{ source_id: source.id, snapshot_id, quote }]
    const claim = await claims.create({ entity_id: entity.id, property, value, references, article_ids: [rule.id] })
    return { rule: rule.id, slug: rule.slug, claim: claim.id }
  }

  /** From now on nobody publishes what they wrote themselves; returns a client of somebody else. */
  async reviewer(other: (apiKey: string) => Millrace): Promise<Millrace> {
    const { account, wiki } = this.#client
    await wiki.reviews.setSettings({ review: 'required' })
    return other((await account.keys.create({ name: 'reviewer', scopes: ['wiki:write'] })).secret)
  }

  /** Publishes a rule as it was first written. */
  async publish(rule: string): Promise<void> {
    await this.#client.wiki.articles.update(rule, { status: 'published', base_version: 1 })
  }

  /** Who a company is that a customer has named, however they spelt it, and who speaks for it. */
  async company(name: string) {
    const { companies } = this.#client.erp
    const [found] = (await companies.search({ q: name, limit: 1 })).data
    if (!found) return undefined
    const { code, jurisdiction } = found
    const [company, officers] = await Promise.all([
      companies.read(code, { jurisdiction }),
      companies.officers(code, { jurisdiction }),
    ])
    return { company, officers }
  }

  /** A bot that knows a text. */
  async bot(company: string, text: string): Promise<string> {
    const { bots } = this.#client
    const { id } = await bots.create({ name: `${company} help`, template: 'support-desk', variables: { company } })
    await bots.documents.create(id, { title: 'Rules', text })
    return id
  }

  /** What a rider has still to do before they may rent, and where. */
  async ask(rider: string) {
    return (await this.#client.identity.readiness.read({ product: 'account', idp_sub: rider })).next_step
  }

  /** Somebody has looked at the rider's passport. */
  async verify(rider: string): Promise<void> {
    const requirement = 'identity.document'
    await this.#client.identity.checks.record({ idp_sub: rider, requirement, status: 'verified' })
  }
}
