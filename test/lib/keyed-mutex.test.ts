import { test } from 'tap'
import { KeyedMutex } from '#lib/keyed-mutex.ts'

test('work of one key is done one after the other, also behind work that failed', async (t) => {
  const mutex = new KeyedMutex()
  const gate = Promise.withResolvers<void>()
  const begun: string[] = []
  const first = mutex.run('a', async () => {
    begun.push('first')
    await gate.promise
    throw new Error('it fails')
  })
  const second = mutex.run('a', async () => {
    begun.push('second')
    return 2
  })
  await mutex.run('b', async () => begun.push('other'))
  t.same(begun, ['first', 'other'], 'another key does not wait')
  gate.resolve()
  await t.rejects(first, { message: 'it fails' })
  t.equal(await second, 2)
  t.same(begun, ['first', 'other', 'second'])
})
