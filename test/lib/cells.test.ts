import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { findCell, findCellInUrl, getTokenPrefix } from '#lib/cell-marks.ts'
import { parseCells, readCells } from '#lib/cells.ts'
import { Environment } from '#lib/config.ts'
import { maskSecrets, maskText } from '#lib/mask.ts'
import { keyPrefixes, looksLikeKey, makeKey, makeSecret, signToken } from '#lib/tokens.ts'
import { buildHaproxyMaps } from '../../ops/cli/haproxy-maps.ts'

const two = { cells: { a: { url: 'http://10.0.0.1:8080', hosts: ['API.a.example'] }, b: { url: 'https://b.example' } } }
const sealed = (cell: string) =>
  `eyJ${Buffer.from(JSON.stringify({ cell, m: 'x' }))
    .toString('base64url')
    .slice(3)}.${'m'.repeat(43)}`

t.test('keys, secrets and tokens say their cell, are keys as before, and are masked whole', async (t) => {
  for (const cell of ['b', 'eu1', 'a234567890123456']) {
    for (const key of keyPrefixes.map((prefix) => makeKey(prefix, cell))) {
      t.equal(findCell(key), cell)
      t.ok(looksLikeKey(key))
      t.notMatch(maskText(`the key ${key} is bad`), key.slice(-43))
      t.notMatch(JSON.stringify(maskSecrets({ said: key })), key.slice(-43))
      t.equal(findCellInUrl(`/v1/x?key=${key}&y=1`), cell)
    }
    t.equal(findCell(makeSecret(cell)), cell)
    t.equal(findCell(sealed(cell)), cell)
    t.ok(sealed(cell).startsWith(getTokenPrefix(cell)))
    t.notMatch(maskText(sealed(cell)), 'm'.repeat(43))
    t.equal(findCellInUrl(`/send/v1/unsubscribe/${sealed(cell)}`), cell)
    t.equal(findCellInUrl(`/app/join/${makeSecret(cell)}`), cell)
  }
})

t.test('what says no cell is taken for none, whatever it looks like', async (t) => {
  t.match(makeKey('bt_live_'), /^bt_live_[0-9A-Za-z]{43}$/, 'with one Millrace, keys are as they were')
  t.equal(findCell(makeKey('bt_live_')), undefined)
  t.equal(findCell(signToken('x', { cell: 'no', a: 1 }, 's')), 'no')
  t.equal(findCell(signToken('x', { a: 1, cell: 'no' }, 's')), undefined)
  for (const text of [
    '',
    'b_',
    `bt_live_b_${'x'.repeat(42)}`,
    `bt_live_B_${'x'.repeat(43)}`,
    'eyJjZWxsIjoi',
    'eyJjZWxsIjoi!!',
  ])
    t.equal(findCell(text), undefined, text)
  for (const url of ['/', '/v1/a_thing', `/x/${'y'.repeat(43)}`, `/x/b_${'y'.repeat(44)}`])
    t.equal(findCellInUrl(url), undefined, url)
  t.not(getTokenPrefix('a'), getTokenPrefix('ab').slice(0, getTokenPrefix('a').length))
})

t.test('the file of cells is read by its owner alone, and each fault in it is named without a value', async (t) => {
  const path = join(t.testdir({}), 'cells.json')
  await writeFile(path, JSON.stringify(two), { mode: 0o600 })
  t.same([...readCells('a', path).byName.keys()], ['a', 'b'])
  await chmod(path, 0o640)
  t.throws(() => readCells('a', path), /other users can read it. Run chmod 600/)
  t.throws(() => parseCells('a', '{'), /valid JSON/)
  t.throws(() => parseCells('c', JSON.stringify(two)), /this cell is missing in the file, CELL=c/)
  const bad = { cells: { a: { url: 'ftp://secret', database_url: 'secret' }, B: { url: 'http://x/path' } }, more: 1 }
  t.throws(
    () => parseCells('a', JSON.stringify(bad)),
    /cells\.B: the name must[\s\S]*cells\.a\.url[\s\S]*cells\.a\.database_url[\s\S]*cells\.B\.url/,
  )
  t.throws(() => readCells('a', `${path}.none`), /CELLS_FILE: .+\.none cannot be read \(ENOENT\)/)
  try {
    parseCells('a', JSON.stringify(bad))
  } catch (error) {
    t.notMatch((error as Error).message, 'secret')
  }
  const shared = { cells: { a: { url: 'http://x', hosts: ['h.test'] }, b: { url: 'http://y', hosts: ['h.test'] } } }
  t.throws(() => parseCells('a', JSON.stringify(shared)), /h\.test is assigned to more than one cell/)
  for (const CELL of ['A', '1a', 'a_b', 'a'.repeat(17)]) t.notOk(Environment.shape.CELL.safeParse(CELL).success, CELL)
})

t.test('the maps of HAProxy lead each way of saying a cell to its backend', async (t) => {
  const maps = buildHaproxyMaps(parseCells('a', JSON.stringify(two)))
  const led = (name: string) =>
    maps[name]
      ?.trim()
      .split('\n')
      .map((line) => line.split(' ')) ?? []
  for (const said of [makeKey('snd_test_', 'b'), sealed('b')])
    t.same(
      led('keys.map')
        .filter(([start = '']) => said.startsWith(start))
        .map(([, cell]) => cell),
      ['b'],
    )
  t.same(led('hosts.map'), [['api.a.example', 'a']])
  t.match(maps['backends.cfg'], /backend cell_a\n[\s\S]*server a 10\.0\.0\.1:8080 check\n/)
  t.match(maps['backends.cfg'], /ssl verify required[^\n]*\n {4}server b b\.example:443 check\n/)
})
