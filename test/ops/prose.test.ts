import t from 'tap'
import { textsOfCode } from '../../ops/prose/code.ts'
import { examine } from '../../ops/prose/findings.ts'
import { textsOfMarkdown } from '../../ops/prose/markdown.ts'
import { textsOfShell } from '../../ops/prose/shell.ts'

const read = (source: string, file = 'ingress/push/things.ts') =>
  textsOfCode(file, source).map(({ kind, text }) => [kind, text])

t.test('texts are found with their kind', async (t) => {
  t.same(read("const a = z.string().describe('Name of the app')"), [['api', 'Name of the app']])
  t.same(read("export const list = route({ summary: 'List apps' })"), [['api', 'List apps']])
  t.same(read("throw conflict('The app exists. Choose another name.')"), [
    ['error', 'The app exists. Choose another name.'],
  ])
  t.same(read('throw new Permanent(`The key $' + '{id} is $' + '{"not valid"}.`)')[0], ['error', 'The key {x} is {x}.'])
  t.same(read("z.string().refine(isHost, 'must be a host name')"), [['error', 'must be a host name']])
  t.same(read("log.warn({ err }, 'the database is unavailable')"), [['log', 'the database is unavailable']])
  t.same(read('const a = html`<h1>Apps</h1><p>No <b>apps</b> yet.</p><input placeholder="App name">`'), [
    ['page', 'Apps'],
    ['page', 'No apps yet.'],
    ['page', 'App name'],
  ])
  t.same(read("program.command('keys').description('Manage API keys')", 'ops/cli/keys.ts'), [
    ['cli', 'Manage API keys'],
  ])
  t.same(read('/** Returns the app. */\nconst a = 1 // in seconds, from 1'), [
    ['comment', 'Returns the app.'],
    ['comment', 'in seconds, from 1'],
  ])
  t.same(read("import a from './a b c.ts'\nconst b = sql`select Every word here`\nconst c: 'Some Words Here' = d"), [])
})

t.test('guides are read without their code', async (t) => {
  const texts = textsOfMarkdown(
    'a.md',
    '# Title\n\nOne\ntwo.\n\n- Item\n\n```sh\ncode here\n```\n| Head |\n| --- |\n| Cell |\n',
  )
  t.same(
    texts.map(({ text, line }) => [line, text]),
    [
      [1, 'Title'],
      [3, 'One two.'],
      [6, 'Item'],
      [11, 'Head'],
      [13, 'Cell'],
    ],
  )
})

t.test('the output and comments of shell scripts are read', async (t) => {
  const texts = textsOfShell('a.sh', '# Starts the server.\nsay "installing packages: $missing"\n')
  t.same(
    texts.map(({ kind, text }) => [kind, text]),
    [
      ['cli', 'installing packages: {x}'],
      ['comment', 'Starts the server.'],
    ],
  )
})

t.test('idioms and long sentences are found, tokens in code are left alone', async (t) => {
  const texts = (text: string) => textsOfMarkdown('a.md', text)
  const faults = (text: string) => examine(texts(text)).findings.map(({ fault }) => fault)
  t.same(faults('Nobody hears of it.'), ['“hears of”', '“Nobody”'])
  t.same(faults('Set `nobody` to 1.'), [])
  t.same(faults(`${'word '.repeat(30)}end.`), ['31 words'])
  t.same(faults(`${'word '.repeat(29)}end.`), [])
  t.equal(examine(texts('One. Two.')).totals.get('guide')?.sentences, 2)
})
