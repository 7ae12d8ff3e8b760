import { button, chart, facts, field, make, sureButton, table } from './dom.js'
import { kindsOf, stateOf } from './endpoints.js'
import { filterText } from './form-rows.js'
import { attemptState } from './messages.js'
import { pages } from './pages.js'
import { loadTypes } from './types.js'

/** Shows an endpoint: its settings, its health, its secret and its latest attempts. */
export async function showEndpoint(context, { id }) {
  const { words, ask, heading, canManage, time } = context
  const [one, stats, latest, attempts] = await Promise.all([
    ask('GET', `endpoints/${id}`),
    ask('GET', `endpoints/${id}/stats`),
    ask('GET', `endpoints/${id}/attempts?limit=50`),
    pages(context, `endpoints/${id}/attempts?limit=10`, (found) => attemptTable(context, found)),
  ])
  const { rate, filters, header_names: headers, channels } = one
  return [
    heading(one.url),
    canManage && actions(context, one),
    facts([
      [words.status, [stateOf(one, words), one.disabled_reason ? ` ${one.disabled_reason}` : ''].filter(Boolean)],
      one.description && [words.description, one.description],
      [words.types, kindsOf(one, words)],
      filters.length > 0 && [words.filters, filters.map((filter) => make('div', {}, filterText(filter, words)))],
      channels && [words.channels, channels.join(', ')],
      headers.length > 0 && [words.headers, headers.join(', ')],
      rate && [words.rate, `${rate.limit} ${words.per[rate.per]}`],
      [words.messages, countsOf(stats.messages, words)],
      [words.created, time(one.created_at)],
    ]),
    health(words, latest.data),
    ...(canManage ? secretPart(context, id) : []),
    ...(canManage ? testPart(context, id, await loadTypes(context)) : []),
    ...(canManage ? recoverPart(context, id) : []),
    make('h3', {}, words.attempts),
    attempts ?? make('p', {}, words.noAttempts),
  ].filter(Boolean)
}

const countsOf = (counts, words) =>
  Object.entries(counts).reduce((text, [name, count]) => text.replace(`{${name}}`, String(count)), words.counts)

function actions({ words, ask, go, act, changed }, { id, status }) {
  const enabled = status === 'enabled'
  const toggle = () =>
    act(async () => {
      await ask('PATCH', `endpoints/${id}`, { disabled: enabled })
      changed('endpoint.updated', id)
      go('endpoint', { id }, enabled ? words.disabled : words.enabled)
    })
  const remove = () =>
    act(async () => {
      await ask('DELETE', `endpoints/${id}`)
      changed('endpoint.deleted', id)
      go('endpoints', {}, words.deleted)
    })
  return make(
    'div',
    { className: 'actions' },
    button(words.edit, () => go('form', { id })),
    button(enabled ? words.disable : words.enable, toggle),
    sureButton(words.delete, words.sureDelete, remove),
  )
}

function health(words, attempts) {
  const ended = attempts.filter(({ status }) => status !== 'pending')
  if (ended.length === 0) return null
  const good = ended.filter(({ status }) => status === 'delivered').length
  const label = words.health.replace('{good}', String(good)).replace('{all}', String(ended.length))
  const drawn = chart(ended.map(({ status }) => status === 'delivered').reverse(), label)
  return make('div', {}, make('h3', {}, words.healthTitle), drawn, make('p', { className: 'quiet' }, label))
}

function secretPart({ words, ask, act, say, changed }, id) {
  const place = make('p', {})
  const show = ({ secret, previous_secret: previous }) =>
    place.replaceChildren(
      make('code', {}, secret),
      ...(previous ? [make('small', {}, words.previous, ' ', make('code', {}, previous))] : []),
    )
  const reveal = button(words.showSecret, () => act(async () => show(await ask('GET', `endpoints/${id}/secret`))))
  const rotate = sureButton(words.rotate, words.sureRotate, () =>
    act(async () => {
      show(await ask('POST', `endpoints/${id}/rotate-secret`, {}))
      say(words.rotated)
      changed('endpoint.rotated', id)
    }),
  )
  const hint = make('p', { className: 'quiet' }, words.secretHint)
  return [make('h3', {}, words.secret), hint, make('div', { className: 'actions' }, reveal, rotate), place]
}

function testPart({ words, ask, act, go, say, changed }, id, types) {
  if (types.length === 0) return []
  const options = types.map(({ name }) => make('option', { value: name }, name))
  const select = make('select', {}, options)
  const send = button(words.sendTest, () =>
    act(async () => {
      const result = await ask('POST', `endpoints/${id}/test`, { event_type: select.value })
      changed('endpoint.tested', id)
      const said = result.delivered ? words.testDelivered : words.testFailed
      const why = [result.response_status, result.error].filter(Boolean).join(': ')
      say(why ? `${said} ${why}` : said)
      if (result.delivered) go('endpoint', { id }, said)
    }),
  )
  return [make('h3', {}, words.test), field(words.type, select), make('div', { className: 'actions' }, send)]
}

/** Periods of a recovery in hours. */
const hours = [1, 24, 24 * 7]

function recoverPart({ words, ask, act, say, changed }, id) {
  const options = hours.map((one, at) => make('option', { value: String(one) }, words.periods[at]))
  const select = make('select', {}, options)
  const run = (path, kind) =>
    act(async () => {
      const since = new Date(Date.now() - Number(select.value) * 3_600_000).toISOString()
      const { replayed } = await ask('POST', `endpoints/${id}/${path}`, { since })
      say(words.recovered.replace('{count}', String(replayed ?? 0)))
      changed(kind, id)
    })
  const failed = button(words.recoverFailed, () => run('recover', 'endpoint.recovered'))
  const missing = button(words.sendMissing, () => run('replay-missing', 'endpoint.replayed'))
  return [
    make('h3', {}, words.recover),
    make('p', { className: 'quiet' }, words.recoverHint),
    field(words.since, select),
    make('div', { className: 'actions' }, failed, missing),
  ]
}

const attemptTable = ({ words, go, time }, attempts) =>
  table(words.attempts, attempts, [
    [words.type, (one) => button(one.event_type, () => go('message', { id: one.message_id }), { className: 'text' })],
    [words.status, (one) => attemptState(one, words)],
    [words.response, (one) => one.response_status ?? one.error ?? words.none],
    [words.time, (one) => time(one.attempted_at ?? one.created_at)],
  ])
