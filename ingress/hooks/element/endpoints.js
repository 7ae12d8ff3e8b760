import { badge, button, make, table } from './dom.js'
import { pages } from './pages.js'

export function stateOf({ status, failing_since }, words) {
  const state = status === 'enabled' && failing_since ? 'failing' : status
  return badge(state === 'enabled' ? 'good' : 'bad', words.states[state] ?? state)
}

export const kindsOf = ({ types }, words) =>
  types.length === 0 || types.includes('*') ? words.allTypes : types.join(', ')

/** Shows the endpoints of the application. */
export async function showEndpoints(context) {
  const { words, go, canManage, heading } = context
  const add = canManage && button(words.add, () => go('form'), { className: 'primary' })
  const list = await pages(context, 'endpoints', (found) =>
    table(words.endpoints, found, [
      [
        words.url,
        (one) =>
          [
            button(one.url, () => go('endpoint', { id: one.id }), { className: 'text' }),
            one.description && make('small', {}, one.description),
          ].filter(Boolean),
      ],
      [words.status, (one) => stateOf(one, words)],
      [words.types, (one) => kindsOf(one, words)],
    ]),
  )
  return [make('div', { className: 'title' }, heading(words.endpoints), add), list ?? make('p', {}, words.noEndpoints)]
}
