import t from 'tap'
import { z } from 'zod'
import { createFiller } from '../../sql/table.ts'

const Row = z.object({ id: z.string(), note: z.string().nullable(), tags: z.array(z.string()), size: z.number() })

const fill = createFiller(Row, { tags: [] })

t.test('missing columns become null or their default, and given columns stay', async (t) => {
  t.strictSame(fill({ id: 'a', size: 0 }), { id: 'a', size: 0, note: null, tags: [] })
  t.strictSame(fill({ id: 'a', size: 1, note: undefined, tags: undefined }).note, null)
  t.strictSame(fill({ id: 'a', size: 1, note: 'x', tags: ['y'] }), { id: 'a', size: 1, note: 'x', tags: ['y'] })
})

t.test('the compiler demands every other column', async (t) => {
  // @ts-expect-error: `size` cannot be null and has no default.
  fill({ id: 'a' })
  t.pass('checked by tsc')
})
