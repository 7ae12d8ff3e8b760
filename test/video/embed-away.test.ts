import { test } from 'tap'
import { DatabaseUnavailableError } from '../../ingress/http/database/acquire-timeout.ts'
import { sendEmbed } from '../../ingress/playback/embed.ts'

/** What a player page answers where a viewer's right cannot be looked up. */
async function answered(fault: Error) {
  const headers = new Map<string, string>()
  const ctx = { set: (name: string, value: string) => headers.set(name, value), status: 0, type: '', body: '' }
  const admitted = Promise.reject(fault)
  await sendEmbed(ctx as never, { storageOrigin: 'https://s3.test', admitted, content: () => '', title: () => null })
  return { ...ctx, headers }
}

test('a player page is a page also while the database is away; a fault of ours stays one', async (t) => {
  const { status, type, body, headers } = await answered(new DatabaseUnavailableError())
  t.match({ status, type, body }, { status: 503, type: /^text\/html/, body: /cannot be played at the moment/ })
  t.match(headers.get('retry-after'), /^\d+$/)
  await t.rejects(answered(new Error('a fault')), { message: 'a fault' })
})
