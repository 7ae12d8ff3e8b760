import { button, chart, code, facts, field, make, sureButton, table } from './dom.js'
import { kindsOf, stateOf } from './endpoints.js'
import { attemptState } from './messages.js'
import { loadTypes } from './types.js'

/** Shows an endpoint: its settings, its health, its secret and its latest attempts. */
export async function showEndpoint(context, { id }) {
  const { words, ask, go, act, heading, canManage, time, changed } = context
  const [one, attempts] = await Promise.all([
    ask('GET', `endpoints/${id}`),
    ask('GET', `endpoints/${id}/attempts?limit=50`),
  ])
  const call = (method, path, body) => ask(method, `endpoints/${id}${path}`, body)
  const again = (said) => go('endpoint', { id }, said)
  const toggle = (disabled) => () =>
    act(async () => {
      await call('PATCH', '', { disabled })
      changed('endpoint.updated', id)
      again(disabled ? words.disabled : words.enabled)
    })
  const remove = () =>
    act(async () => {
      await call('DELETE', '')
      changed('endpoint.deleted', id)
      go('endpoints', {}, words.deleted)
    })
  const enabled = one.status === 'enabled'
  const actions = canManage && [
    button(words.edit, () => go('form', { id })),
    button(enabled ? words.disable : words.enable, toggle(enabled)),
    sureButton(words.delete, words.sureDelete, remove),
  ]
  return [
    heading(one.url),
    actions && make('div', { className: 'actions' }, actions),
    facts([
      [words.status, [stateOf(one, words), one.disabled_reason && ` ${one.disabled_reason}`].filter(Boolean)],
      one.description && [words.description, one.description],
      [words.types, kindsOf(one, words)],
      one.filters?.length > 0 && [words.filters, code(JSON.stringify(one.filters), words.filters)],
      one.headers &&
        Object.keys(one.headers).length > 0 && [
          words.headers,
          Object.entries(one.headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join(', '),
        ],
      one.rate_per_minute && [words.rate, String(one.rate_per_minute)],
      [words.created, time(one.created_at)],
    ]),
    health(words, attempts.data),
    ...secretPart(context, id),
    ...(canManage ? [...testPart(context, id, await loadTypes(context)), ...recoverPart(context, id)] : []),
    make('h3', {}, words.attempts),
    attempts.data.length === 0 ? make('p', {}, words.noAttempts) : attemptTable(context, attempts.data),
  ].filter(Boolean)
}

function health(words, attempts) {
  const ended = attempts.filter(({ status }) => status !== 'pending')
  if (ended.length === 0) return null
  const good = ended.filter(({ status }) => status === 'delivered').length
  const label = words.health.replace('{good}', String(good)).replace('{all}', String(ended.length))
  return make(
    'div',
    {},
    make('h3', {}, words.healthTitle),
    chart(ended.map(({ status }) => status === 'delivered').reverse(), label),
    make('p', { className: 'quiet' }, label),
  )
}

function secretPart({ words, ask, act, say, canManage, changed }, id) {
  if (!canManage) return []
  const place = make('p', {})
  const show = (secret) => place.replaceChildren(make('code', {}, secret))
  const reveal = button(words.showSecret, () =>
    act(async () => show((await ask('GET', `endpoints/${id}/secret`)).secret)),
  )
  const rotate = sureButton(words.rotate, words.sureRotate, () =>
    act(async () => {
      const { secret } = await ask('POST', `endpoints/${id}/rotate`, {})
      show(secret)
      say(words.rotated)
      changed('endpoint.rotated', id)
    }),
  )
  return [
    make('h3', {}, words.secret),
    make('p', { className: 'quiet' }, words.secretHint),
    make('div', { className: 'actions' }, reveal, rotate),
    place,
  ]
}

function testPart({ words, ask, act, say, changed }, id, types) {
  if (types.length === 0) return []
  const select = make(
    'select',
    {},
    types.map(({ name }) => make('option', { value: name }, name)),
  )
  const send = button(words.sendTest, () =>
    act(async () => {
      await ask('POST', `endpoints/${id}/test`, { event_type: select.value })
      say(words.testSent)
      changed('endpoint.tested', id)
    }),
  )
  return [make('h3', {}, words.test), field(words.type, select), make('div', { className: 'actions' }, send)]
}

const hours = [1, 24, 24 * 7]

function recoverPart({ words, ask, act, say, changed }, id) {
  const select = make(
    'select',
    {},
    hours.map((one, at) => make('option', { value: String(one) }, words.periods[at])),
  )
  const since = () => new Date(Date.now() - Number(select.value) * 3_600_000).toISOString()
  const run = (path, kind) =>
    act(async () => {
      const { recovered } = await ask('POST', `endpoints/${id}/${path}`, { since: since() })
      say(words.recovered.replace('{count}', String(recovered ?? 0)))
      changed(kind, id)
    })
  return [
    make('h3', {}, words.recover),
    make('p', { className: 'quiet' }, words.recoverHint),
    field(words.since, select),
    make(
      'div',
      { className: 'actions' },
      button(words.recoverFailed, () => run('recover', 'endpoint.recovered')),
      button(words.sendMissing, () => run('replay-missing', 'endpoint.replayed')),
    ),
  ]
}

const attemptTable = (context, attempts) => {
  const { words, go, time } = context
  return table(words.attempts, attempts, [
    [words.type, (one) => button(one.event_type, () => go('message', { id: one.message_id }), { className: 'text' })],
    [words.status, (one) => attemptState(one, words)],
    [words.response, (one) => one.response_status ?? one.error ?? words.none],
    [words.time, (one) => time(one.attempted_at ?? one.created_at)],
  ])
}
