/** What a list answers: some items, and where the next ones begin. */
export interface PageBody<Item> {
  data: Item[]
  /** Null on the last page. */
  next_cursor: string | null
}

/** Fetches the page that begins at a cursor. */
export type Fetch<Item> = (cursor: string | undefined) => Promise<PageBody<Item>>

/** One page of a list; iterating it goes on to the pages that follow. */
export class Page<Item> implements PageBody<Item>, AsyncIterable<Item> {
  readonly data: Item[]
  readonly next_cursor: string | null
  readonly #fetch: Fetch<Item>

  constructor(body: PageBody<Item>, fetch: Fetch<Item>) {
    this.data = body.data
    this.next_cursor = body.next_cursor
    this.#fetch = fetch
  }

  /** The page after this one; undefined after the last. */
  async next(): Promise<Page<Item> | undefined> {
    if (this.next_cursor === null) return undefined
    return new Page(await this.#fetch(this.next_cursor), this.#fetch)
  }

  /** This page and all that follow. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    for (let page: Page<Item> | undefined = this; page; page = await page.next()) yield page
  }

  /** The items of this page and of all that follow. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.data
  }
}

/** A list that was asked for: awaited it is its first page, iterated it is all items. Nothing is sent before either. */
export class Listing<Item> implements Promise<Page<Item>>, AsyncIterable<Item> {
  readonly [Symbol.toStringTag] = 'Listing'
  readonly #fetch: Fetch<Item>
  #first: Promise<Page<Item>> | undefined

  constructor(fetch: Fetch<Item>) {
    this.#fetch = fetch
  }

  #page(): Promise<Page<Item>> {
    this.#first ??= this.#fetch(undefined).then((body) => new Page(body, this.#fetch))
    return this.#first
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited as its first page.
  then<Done = Page<Item>, Failed = never>(
    done?: ((page: Page<Item>) => Done | PromiseLike<Done>) | null,
    failed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    return this.#page().then(done, failed)
  }

  catch<Failed = never>(
    failed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Page<Item> | Failed> {
    return this.#page().catch(failed)
  }

  finally(settled?: (() => void) | null): Promise<Page<Item>> {
    return this.#page().finally(settled)
  }

  /** All pages, one after another. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    yield* (await this.#page()).pages()
  }

  /** The items of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    yield* await this.#page()
  }
}
