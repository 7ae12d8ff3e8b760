import { code, make } from './dom.js'
import { exampleOf } from './example.js'

/** Returns all event types that the application can receive. */
export async function loadTypes({ ask }) {
  const all = []
  let cursor = ''
  do {
    const page = await ask('GET', `event-types?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
    all.push(...page.data)
    cursor = page.next_cursor ?? ''
  } while (cursor && all.length < 1_000)
  return all.sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Shows the event types with their descriptions, schemas and examples. */
export async function showTypes(context) {
  const { words, heading } = context
  const found = await loadTypes(context)
  const shown = found.map(({ name, description, schema }) =>
    make(
      'details',
      {},
      make('summary', {}, make('code', {}, name), description && ` ${description}`),
      schema && make('h3', {}, words.example),
      schema && code(JSON.stringify(exampleOf(schema), null, 2), words.example),
      schema && make('h3', {}, words.schema),
      schema && code(JSON.stringify(schema, null, 2), words.schema),
      !schema && make('p', { className: 'quiet' }, words.noSchema),
    ),
  )
  return [heading(words.types), ...(shown.length > 0 ? shown : [make('p', {}, words.noTypes)])]
}
