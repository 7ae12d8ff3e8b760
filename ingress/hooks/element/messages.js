import { badge, button, code, facts, make, table } from './dom.js'
import { pages } from './pages.js'

const looks = { delivered: 'good', failed: 'bad' }

export const attemptState = ({ status }, words) => badge(looks[status] ?? '', words.states[status] ?? status)

/** Shows the messages of the application, newest first. */
export async function showMessages(context) {
  const { words, go, heading, time } = context
  const list = await pages(context, 'messages', (found) =>
    table(words.messages, found, [
      [words.type, (one) => button(one.event_type, () => go('message', { id: one.id }), { className: 'text' })],
      [words.status, (one) => attemptState(one, words)],
      [words.time, (one) => time(one.created_at)],
    ]),
  )
  return [heading(words.messages), list ?? make('p', {}, words.noMessages)]
}

/** Shows a message with its payload and its attempts. */
export async function showMessage(context, { id }) {
  const { words, ask, heading, time } = context
  const [one, { data }, endpoints] = await Promise.all([
    ask('GET', `messages/${id}`),
    ask('GET', `messages/${id}/attempts?limit=100`),
    ask('GET', 'endpoints?limit=100'),
  ])
  const urls = new Map(endpoints.data.map((endpoint) => [endpoint.id, endpoint.url]))
  const payload = one.payload
    ? code(JSON.stringify(one.payload, null, 2), words.payload)
    : make('p', { className: 'quiet' }, words.noPayload)
  const parts = data.map((attempt) => attemptPart(context, one, attempt, urls.get(attempt.endpoint_id) ?? ''))
  return [
    heading(one.event_type),
    facts([
      [words.status, attemptState(one, words)],
      [words.id, make('code', {}, one.id)],
      [words.created, time(one.created_at)],
    ]),
    make('h3', {}, words.payload),
    payload,
    make('h3', {}, words.attempts),
    ...(parts.length > 0 ? parts : [make('p', {}, words.noAttempts)]),
  ]
}

function attemptPart(context, message, attempt, url) {
  const { words, ask, act, go, canManage, time, changed } = context
  const resend = () =>
    act(async () => {
      await ask('POST', `messages/${message.id}/endpoints/${attempt.endpoint_id}/resend`)
      changed('message.resent', message.id)
      go('message', { id: message.id }, words.resent)
    })
  return make(
    'section',
    { 'aria-label': url },
    facts([
      [words.url, url],
      [words.status, attemptState(attempt, words)],
      attempt.error && [words.error, attempt.error],
      attempt.next_attempt_at && [words.nextAttempt, time(attempt.next_attempt_at)],
    ]),
    responsePart(words, attempt),
    attempt.attempt_log.length > 0 && logOf(context, attempt, url),
    canManage && message.payload && make('div', { className: 'actions' }, button(words.resend, resend)),
  )
}

function responsePart(words, { response_status: status, response_headers: headers, response_head: head }) {
  if (status === null) return null
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`)
  const text = [...lines, '', head ?? ''].join('\n').trim()
  return make(
    'details',
    {},
    make('summary', {}, `${words.response} ${status}`),
    code(text || words.none, words.response),
  )
}

const logOf = ({ words, time }, { attempt_log: log }, url) =>
  table(`${words.attempts}: ${url}`, [...log].reverse(), [
    [words.time, (one) => time(one.at)],
    [words.response, (one) => one.status ?? words.none],
    [words.duration, (one) => `${one.ms} ms`],
    [words.error, (one) => one.error ?? words.none],
  ])
