import { check } from 'recheck'
import t from 'tap'
import { findFault, readExcuse } from '../../ops/regex/excuse.ts'
import { findLiterals } from '../../ops/regex/literals.ts'
import { summarize } from '../../ops/regex/verdicts.ts'

t.test('literals are found with the comment that is about them', async (t) => {
  const text = [
    "const a = 'x'.replace(/-+$/, '') // linear enough: at most 40 characters, which a slice leaves",
    '// linear enough: at most 2,000 characters, which the schema sees to',
    'const b = /[a-z]+@/gi',
    "const c = new RegExp('^a+$', 'u')",
    "const d = '/no/' + 1 / 2",
  ].join('\n')
  const found = findLiterals('a.ts', text)
  t.same(
    found.map(({ line, source, flags }) => [line, source, flags]),
    [
      [1, '-+$', ''],
      [3, '[a-z]+@', 'gi'],
      [4, '^a+$', 'u'],
    ],
  )
  t.same(
    found.map(({ comment }) => readExcuse(comment)),
    [{ most: 40, reason: 'which a slice leaves' }, { most: 2_000, reason: 'which the schema sees to' }, undefined],
  )
  t.match(readExcuse('// linear enough: it is short'), /its excuse must have the form/)
})

t.test('what is not linear is a fault, unless its excuse bounds it', async (t) => {
  const judge = async (source: string) => summarize(await check(source, ''))
  const squares = await judge('-+$')
  t.match(findFault('-+$', squares, undefined), /2nd degree polynomial, by /)
  t.equal(findFault('-+$', squares, { most: 1_000, reason: 'which the schema sees to' }), undefined)
  t.match(findFault('-+$', squares, { most: 100_000, reason: 'which the schema sees to' }), /too many/)
  t.match(
    findFault('^(a+)+$', await judge('^(a+)+$'), { most: 100, reason: 'which the schema sees to' }),
    /exponential/,
  )
  const linear = await judge('^a+$')
  t.equal(findFault('^a+$', linear, undefined), undefined)
  t.match(findFault('^a+$', linear, { most: 100, reason: 'which the schema sees to' }), /not needed/)
})
