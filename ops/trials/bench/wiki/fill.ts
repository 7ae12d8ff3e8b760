import { newId } from '#lib/ids.ts'
import { createOrg } from '#sql/account/setup.ts'
import { type DatabasePool, sql } from '#sql/db.ts'

const vocabulary = 20_000
const wordsInBody = 300
const batch = 500

/** Word frequency by rank (Zipf): the first word is in almost every article, the last in few. */
const wordAt = (rank: number): string => `w${rank.toString(36)}`

function* text(seed: number): Generator<string, never> {
  for (let state = seed + 1; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield wordAt(Math.floor(vocabulary ** (state / 2 ** 32)) - 1)
  }
}

const take = (words: Generator<string, never>, count: number): string =>
  Array.from({ length: count }, () => words.next().value).join(' ')

export async function fillWiki(db: DatabasePool, articles: number): Promise<string> {
  const { org, keys } = await createOrg(db, 'bench', 'unlimited', {
    main: { prefix: 'bt_live_', scopes: ['wiki:read'] },
  })
  for (let from = 0; from < articles; from += batch * 2) {
    await Promise.all([from, from + batch].map((start) => insert(db, org.id, start, Math.min(batch, articles - start))))
  }
  await db.query(sql.typeAlias('void')`vacuum analyze wiki.published`)
  await db.query(sql.typeAlias('void')`analyze wiki.articles, wiki.article_versions`)
  return keys.main
}

async function insert(db: DatabasePool, orgId: string, from: number, count: number): Promise<void> {
  const rows = Array.from({ length: Math.max(count, 0) }, (_, i) => {
    const words = text(from + i)
    const [title, summary, body] = [take(words, 6), take(words, 20), take(words, wordsInBody)]
    return {
      id: newId(),
      version_id: newId(),
      slug: `article-${from + i}`,
      title,
      summary,
      body,
      tag: wordAt((from + i) % 50),
    }
  })
  await db.query(sql.typeAlias('void')`
    with given as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json)
        as x(id uuid, version_id uuid, slug text, title text, summary text, body text, tag text)
    ), articles as (
      insert into wiki.articles (id, org_id, slug, language, status, published_version, first_published_at)
      select id, ${orgId}, slug, 'en', 'published', 1, now() from given
    ), versions as (
      insert into wiki.article_versions (id, article_id, number, title, summary, body, tags, size, sha256)
      select version_id, id, 1, title, summary, body, array[tag], length(body), '' from given
    ), slugs as (
      insert into wiki.slugs (slug, article_id) select slug, id from given
    )
    insert into wiki.published (article_id, org_id, text, tags, title_words, words, published_at)
    select id, ${orgId}, body, array[tag], marks || to_tsvector('simple', title),
      marks || setweight(to_tsvector('simple', title), 'A') || setweight(to_tsvector('simple', tag), 'B')
        || setweight(to_tsvector('simple', summary), 'C') || setweight(to_tsvector('simple', body), 'D'), now()
    from given, array_to_tsvector(array[${` org:${orgId}`}, ' language:en', ' tag:' || tag]) as marks`)
}

export const searchTexts: Record<string, (n: number) => string> = {
  'a rare word': (n) => wordAt(vocabulary - 1 - ((n * 7) % 5_000)),
  'a common word': (n) => wordAt(1 + (n % 20)),
  'two common words': (n) => `${wordAt(n % 10)} ${wordAt(10 + (n % 10))}`,
  'a common and a rare word': (n) => `${wordAt(n % 20)} ${wordAt(10_000 + ((n * 13) % 5_000))}`,
  'a phrase': (n) => `"${wordAt(n % 10)} ${wordAt((n + 1) % 10)}"`,
  'one of two, without a third': (n) => `${wordAt(100 + (n % 50))} or ${wordAt(200 + (n % 50))} -${wordAt(n % 10)}`,
}
