import { test } from 'tap'
import type { z } from 'zod'
import { Day, Float4, InstantInput, InstantInUtc, Int4, LocalTime } from '#lib/input-types.ts'

const takes = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success

test('an instant becomes UTC; what Postgres or its neighbours in time cannot hold is refused', async (t) => {
  t.equal(InstantInput.parse('2026-01-31T12:00:00+23:59'), '2026-01-30T12:01:00.000Z')
  t.ok(takes(InstantInput, '9999-12-31T23:59:59Z'))
  for (const text of ['0000-01-01T00:00:00Z', '0999-12-31T23:59:59Z', '9999-12-31T23:59:59-23:59', 'now'])
    t.notOk(takes(InstantInput, text), text)
  t.notOk(takes(InstantInput, `2026-01-31T12:00:00.${'1'.repeat(200)}Z`), 'more digits than Postgres reads')
  t.notOk(takes(InstantInUtc, '0000-01-01T00:00:00Z'))
  t.ok(takes(LocalTime, '2026-01-31T12:00'))
  t.notOk(takes(LocalTime, '0000-01-31T12:00'))
  t.notOk(takes(Day, '0000-01-01'))
})

test('numbers fit their columns', async (t) => {
  t.ok(takes(Int4, -(2 ** 31)))
  for (const value of [2 ** 31, -(2 ** 31) - 1, 1.5]) t.notOk(takes(Int4, value), String(value))
  for (const value of [1e-300, -1e39, 1e308]) t.notOk(takes(Float4, value), String(value))
  for (const value of [0, 0.7]) t.ok(takes(Float4, value), String(value))
})
