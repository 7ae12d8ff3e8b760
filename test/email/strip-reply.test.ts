import t from 'tap'
import { stripReply } from '../../workers/mail/received/strip-reply.ts'
import { replyCases } from './reply-cases.ts'

t.test('a reply is what its sender wrote, and never empty where there was text', async (t) => {
  for (const [what, text, reply] of replyCases) t.equal(stripReply(text).reply, reply, what)
})

t.test('lines with > stay in a mail that answers none, unless a line above says whose they are', async (t) => {
  const list = 'My list:\n> one\n> two\nBob'
  t.equal(stripReply(list, false).reply, list)
  t.equal(stripReply('Look:\n\nOn Mon, Ann <a@b.example> wrote:\n> one\n\nBob', false).reply, 'Look:\n\n\nBob')
})

t.test('no text takes long', async (t) => {
  const hostile = [
    '>\n\n',
    '\n',
    'On \n',
    'wrote:\n',
    '> ',
    '---a---\n',
    'From:\n',
    ' \n>\n',
    '--\n',
    '-- \n',
    'a 10:00 <a@b>:\n',
    '<',
  ]
  for (const piece of hostile) {
    // Of the processor: others may have it meanwhile.
    const begun = process.cpuUsage()
    stripReply(piece.repeat(200_000))
    const ms = process.cpuUsage(begun).user / 1_000
    t.ok(ms < 1_000, `${JSON.stringify(piece)}: ${Math.round(ms)} ms`)
  }
})
