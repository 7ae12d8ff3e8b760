import { check } from 'recheck'
import t from 'tap'
import { excuseOf, faultOf } from '../../ops/regex/excuse.ts'
import { literalsOf } from '../../ops/regex/literals.ts'

t.test('literals are found with the comment that is about them', async (t) => {
  const text = [
    "const a = 'x'.replace(/-+$/, '') // linear enough: at most 40 characters, which a slice leaves",
    '// linear enough: at most 2,000 characters, which the schema sees to',
    'const b = /[a-z]+@/gi',
    "const c = new RegExp('^a+$', 'u')",
    "const d = '/no/' + 1 / 2",
  ].join('\n')
  const found = literalsOf('a.ts', text)
  t.same(
    found.map(({ line, source, flags }) => [line, source, flags]),
    [
      [1, '-+$', ''],
      [3, '[a-z]+@', 'gi'],
      [4, '^a+$', 'u'],
    ],
  )
  t.same(
    found.map(({ comment }) => excuseOf(comment)),
    [{ most: 40, reason: 'which a slice leaves' }, { most: 2_000, reason: 'which the schema sees to' }, undefined],
  )
  t.match(excuseOf('// linear enough: it is short'), /its excuse must have the form/)
})

t.test('what is not linear is a fault, unless its excuse bounds it', async (t) => {
  const squares = await check('-+$', '')
  t.match(faultOf(squares, undefined), /2nd degree polynomial, by /)
  t.equal(faultOf(squares, { most: 1_000, reason: 'which the schema sees to' }), undefined)
  t.match(faultOf(squares, { most: 100_000, reason: 'which the schema sees to' }), /too many/)
  t.match(faultOf(await check('^(a+)+$', ''), { most: 100, reason: 'which the schema sees to' }), /exponential/)
  const linear = await check('^a+$', '')
  t.equal(faultOf(linear, undefined), undefined)
  t.match(faultOf(linear, { most: 100, reason: 'which the schema sees to' }), /not needed/)
})
