import { badge, button, code, facts, make, table } from './dom.js'
import { pages } from './pages.js'

export const attemptState = ({ status }, words) => {
  const style = status === 'delivered' ? 'good' : status === 'failed' ? 'bad' : ''
  return badge(style, words.states[status] ?? status)
}

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
  const [one, { data }] = await Promise.all([
    ask('GET', `messages/${id}`),
    ask('GET', `messages/${id}/attempts?limit=100`),
  ])
  return [
    heading(one.event_type),
    facts([
      [words.status, attemptState(one, words)],
      [words.id, make('code', {}, one.id)],
      [words.created, time(one.created_at)],
    ]),
    make('h3', {}, words.payload),
    one.payload === null
      ? make('p', { className: 'quiet' }, words.noPayload)
      : code(JSON.stringify(one.payload, null, 2), words.payload),
    make('h3', {}, words.attempts),
    ...(data.length === 0
      ? [make('p', {}, words.noAttempts)]
      : data.map((attempt) => attemptPart(context, one, attempt))),
  ]
}

function attemptPart(context, message, attempt) {
  const { words, ask, act, go, canManage, time, changed } = context
  const resend = () =>
    act(async () => {
      await ask('POST', `messages/${message.id}/endpoints/${attempt.endpoint_id}/resend`)
      changed('message.resent', message.id)
      go('message', { id: message.id }, words.resent)
    })
  const headers = Object.entries(attempt.response_headers ?? {}).map(([name, value]) => `${name}: ${value}`)
  return make(
    'section',
    { 'aria-label': attempt.url ?? attempt.endpoint_id },
    facts([
      [words.url, attempt.url ?? attempt.endpoint_id],
      [words.status, attemptState(attempt, words)],
      [words.time, time(attempt.attempted_at ?? attempt.created_at)],
      attempt.latency_ms !== null && [words.duration, `${attempt.latency_ms} ms`],
      attempt.error && [words.error, attempt.error],
    ]),
    attempt.response_status !== null &&
      make(
        'details',
        {},
        make('summary', {}, `${words.response} ${attempt.response_status}`),
        code([...headers, '', attempt.response_body ?? ''].join('\n').trim() || words.none, words.response),
      ),
    canManage && make('div', { className: 'actions' }, button(words.resend, resend)),
  )
}
