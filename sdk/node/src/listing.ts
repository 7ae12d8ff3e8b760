import type { APIPromise, WithResponse } from './api-promise.ts'
import { MillraceError } from './errors.ts'

/** One page of a list as the API returns it. */
export interface PageBody<Item> {
  data: Item[]
  /** Cursor of the next page. `null` on the last page. */
  next_cursor: string | null
}

/** Fetches the page at a cursor. `undefined` means the first page. */
export type Fetch<Item> = (cursor: string | undefined) => APIPromise<PageBody<Item>>

/** One page of a list. Iterating over it continues with the following pages. */
export class Page<Item> implements PageBody<Item>, AsyncIterable<Item> {
  readonly data: Item[]
  readonly next_cursor: string | null
  readonly #fetch: Fetch<Item>

  /** `cursor` is the cursor of this page. `undefined` for the first page. */
  constructor(body: PageBody<Item>, fetch: Fetch<Item>, cursor?: string) {
    this.data = body.data
    this.next_cursor = body.next_cursor || null
    this.#fetch = fetch
    // The same page would be read again and again.
    if (cursor !== undefined && cursor === this.next_cursor)
      throw new MillraceError('The server returned the same page again. Read the list again from its start.')
  }

  /** Returns the next page, or `undefined` if this is the last page. */
  async next(): Promise<Page<Item> | undefined> {
    if (this.next_cursor === null) return undefined
    return new Page(await this.#fetch(this.next_cursor), this.#fetch, this.next_cursor)
  }

  /** Returns this page and all following pages. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    for (let page: Page<Item> | undefined = this; page; page = await page.next()) yield page
  }

  /** Iterates over the items of this page and all following pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.data
  }
}

/** A list. Await it to get its first page, or iterate over it to get all items. Only then are requests sent. */
export class Listing<Item> implements Promise<Page<Item>>, AsyncIterable<Item> {
  readonly [Symbol.toStringTag] = 'Listing'
  readonly #fetch: Fetch<Item>
  #pending: APIPromise<PageBody<Item>> | undefined
  #first: Promise<Page<Item>> | undefined

  constructor(fetch: Fetch<Item>) {
    this.#fetch = fetch
  }

  #page(): Promise<Page<Item>> {
    this.#pending ??= this.#fetch(undefined)
    this.#first ??= this.#pending.then((body) => new Page(body, this.#fetch))
    return this.#first
  }

  /** Returns the first page with the headers and the request ID of its response. */
  async withResponse(): Promise<WithResponse<Page<Item>>> {
    this.#pending ??= this.#fetch(undefined)
    const { response, requestId } = await this.#pending.withResponse()
    return { data: await this.#page(), response, requestId }
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

  /** Returns all pages in order. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    yield* (await this.#page()).pages()
  }

  /** Iterates over the items of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    yield* await this.#page()
  }
}
