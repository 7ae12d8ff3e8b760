import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import type { Owned } from './owned.ts'

export const wikiEvidence: Owned = ({ make, db, owner }) => {
  const source = () => make('POST /v1/wiki/sources', { uri: 'https://example.org/report' })
  const entity = () => make('POST /v1/wiki/entities', { type: 'city', labels: { en: 'Tallinn' } })
  const claim = async () =>
    make('POST /v1/wiki/claims', {
      entity_id: await entity(),
      property: 'population',
      value: { type: 'quantity', content: '461346' },
    })
  return {
    made: {
      '/v1/wiki/sources': source,
      '/v1/wiki/entities': entity,
      '/v1/wiki/claims': claim,
      async '/v1/wiki/snapshots'() {
        const id = newId()
        await db.query(sql.typeAlias('void')`
          insert into wiki.snapshots (id, org_id, source_id, status, captured_at, sha256, size, text, text_sha256)
          values (${id}, ${owner.org.id}, ${await source()}, 'ok', now(), 'a', 1, 'a', 'a')`)
        return id
      },
    },
    bodies: { 'wiki.claims.addReference': { source_id: newId(), quote: 'some words' } },
  }
}
