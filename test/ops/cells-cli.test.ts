import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { findCell } from '#lib/cell-marks.ts'
import { childEnvironment } from '#lib/config.ts'
import * as orgs from '#sql/account/orgs.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress } from '../support/ingress.ts'
import { commandLine, program, runLine } from '../support/millrace.ts'
import { freePort } from '../support/postgres.ts'

t.setTimeout(240_000)
const [a, b] = await Promise.all([testDatabase(t), testDatabase(t)])
const [ofA, ofB] = await Promise.all([a, b].map(({ db }) => testIngress(t, db, [], { only: ['service'] })))
const folder = t.testdir({})
await orgs.insert(a.db, { name: 'first', plan: 'free' })

const file = join(folder, 'cells.json')
const ofCellA = commandLine(a.url, { CELL: 'a', CELLS_FILE: file })

/** Runs a command like operators of cell a, with a file of these cells. */
async function millrace(line: string, cells: Record<string, object>, env: Record<string, string> = {}) {
  await writeFile(file, JSON.stringify({ cells }), { mode: 0o600 })
  return await ofCellA.run(line, env)
}

/** Runs commands one after the other. */
async function inTurn(...commands: Parameters<typeof millrace>[]) {
  const said = []
  for (const command of commands) said.push(await millrace(...command))
  return said
}

const [cellA, cellB] = [
  { url: ofA?.url ?? '', database_url: a.url },
  { url: ofB?.url ?? '', database_url: b.url },
]

t.test('cells are told of with health, organisations and load, those too that do not answer', async (t) => {
  const dead = {
    url: `http://127.0.0.1:${await freePort()}`,
    database_url: `postgres://127.0.0.1:${await freePort()}/x`,
  }
  // With a silent cell the command ends its process, so it needs its own.
  const said = await millrace('cells --json', { a: cellA, b: cellB, c: dead }, { CELL: 'a' })
  t.equal(said.code, 1, 'as one is not well')
  t.match(JSON.parse(said.out), [
    { cell: 'a', own: true, health: 'ok', load: { orgs: 1, waiting: 0 } },
    { cell: 'b', own: false, health: 'ok', load: { orgs: 0 } },
    { cell: 'c', health: 'silent', fault: /ECONNREFUSED/ },
  ])
  const shown = await inTurn(
    ['cells', { a: cellA, b: cellB }],
    ['cells', { a: cellA }, { CELL: '' }],
    ['cells', { b: cellB }],
  )
  t.match(shown, [
    { code: 0, out: /^CELL[^\n]*ORGANISATIONS[\s\S]*\na \(this\)[^\n]* ok / },
    { code: 1, err: /Set CELL to the name of this cell/ },
    { code: 1, err: /this cell is missing in the file, CELL=a/ },
  ])
})

t.test('what is wrong with the file of cells is said by what it is, of each command and in doctor', async (t) => {
  const dead = { url: `http://127.0.0.1:${await freePort()}` }
  const none = commandLine(a.url, { CELL: 'a', CELLS_FILE: join(folder, 'none.json') })
  const said = [
    await none.run('cells'),
    await runLine(program, 'orgs move first --to b', childEnvironment({ DATABASE_URL: a.url, CELL: 'a' })),
    ...(await inTurn(
      ['orgs place five --cell b', { a: cellA, b: dead }],
      ['orgs move first --to b --pause x', { a: cellA, b: dead }],
      ['orgs move first --to b', { a: cellA, b: { ...dead, database_url: 'postgres://127.0.0.1:1/x' } }],
    )),
    await none.run('doctor --only cells'),
    ...(await inTurn(['doctor --only cells', { a: cellA, b: dead }], ['doctor --only cells', { a: cellA, b: cellB }])),
  ]
  t.match(said, [
    { code: 1, err: /CELLS_FILE: .+none\.json cannot be read \(ENOENT\)/ },
    { code: 1, err: /no other cells: CELLS_FILE is not set/ },
    { code: 1, err: /cannot currently accept an organisation: CELLS_FILE has no database_url for cell b\.\n$/ },
    { code: 2, err: /--pause: "x" is not a number of seconds/ },
    { code: 1, err: /The database of cell b is not responding/ },
    { code: 1, out: /FAULT +cells +CELLS_FILE: .+ cannot be read/ },
    { code: 1, out: /FAULT +cells +b at http\S+: silent/ },
    { code: 0, out: /ok +cells +this is a of a, b/ },
  ])
})

t.test('an organisation is placed where there is room, or where it is said', async (t) => {
  const place = async (line: string, cells: Record<string, object>) => {
    const said = await millrace(`orgs place ${line} --json`, cells)
    return said.code === 0 ? JSON.parse(said.out).cell : said.err
  }
  t.equal(await place('one', { a: cellA, b: cellB }), 'b')
  t.equal(await place('two', { a: cellA, b: { ...cellB, full: true } }), 'a')
  t.equal(await place('three --cell b', { a: cellA, b: { ...cellB, full: true } }), 'b')
  const refused = [
    await place('four --cell x', { a: cellA, b: cellB }),
    await place('four --plan none', { a: cellA, b: cellB }),
    await place('four', { a: { ...cellA, full: true } }),
  ]
  t.match(refused, [
    /--cell: unknown cell "x"; the cells are a, b/,
    /cell . does not have the plan "none"/,
    /No cell is available/,
  ])
  t.same(
    (await orgs.list(b.db)).map(({ name }) => name),
    ['three', 'one'],
  )
})

t.test('a key that is made in a cell says it, also in the list', async (t) => {
  const said = await millrace(
    'keys create --org three --name k --scopes files:read',
    { a: cellA, b: cellB },
    { CELL: 'b', DATABASE_URL: b.url },
  )
  const [secret = ''] = said.out.split('\n')
  t.match(secret, /^bt_live_b_[0-9A-Za-z]{43}$/)
  t.equal(findCell(secret), 'b')
})
