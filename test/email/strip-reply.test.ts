import t from 'tap'
import { stripReply } from '../../workers/mail/received/strip-reply.ts'

const cases: [what: string, text: string, reply: string | null][] = [
  ['a text that quotes nothing', 'Hello\n\nAda', 'Hello\n\nAda'],
  ['a marked quote below its line', 'Yes.\n\nOn Mon, Ann <a@b.example> wrote:\n> Will you?\n> Please', 'Yes.'],
  [
    'a line that was broken in two',
    'Yes.\n\nOn Mon, 1 Jan 2026 at 10:00, Ann\n<a@b.example> wrote:\n\n> Will you?',
    'Yes.',
  ],
  ['an answer below the quote', 'On Mon, Ann wrote:\n> Will you?\n\nYes.', 'Yes.'],
  ['answers between quotes', '> One?\nYes.\n> Two?\nNo.', 'Yes.\nNo.'],
  ['a quote that is not marked', 'Ja.\n\nAm 1.1.2026 um 10:00 schrieb Ann\nschrieb:\n\nKommst du?', 'Ja.'],
  ['what Outlook writes', 'Yes.\r\n\r\nFrom: Ann\r\nSent: Monday\r\nTo: Bob\r\nSubject: x\r\n\r\nWill you?', 'Yes.'],
  ['a divider', 'Yes.\n-----Original Message-----\nWill you?', 'Yes.'],
  ['a signature', 'Yes.\n-- \nBob\nChief', 'Yes.'],
  ['what a phone adds', 'Yes.\n\nSent from my iPhone', 'Yes.'],
  [
    'words that only look alike',
    'From: here on\nit is fine.\nHe wrote: no.',
    'From: here on\nit is fine.\nHe wrote: no.',
  ],
  ['a rule of dashes', 'One\n-----\nTwo', 'One\n-----\nTwo'],
  ['nothing but a quote', '> Will you?\n', null],
  ['nothing', '', null],
]

t.test('a reply is what its sender wrote', async (t) => {
  for (const [what, text, reply] of cases) t.equal(stripReply(text), reply, what)
})

t.test('no text takes long', async (t) => {
  const hostile = ['>\n\n', '\n', 'On \n', 'wrote:\n', '> ', '---a---\n', 'From:\n', ' \n>\n']
  for (const piece of hostile) {
    const begun = performance.now()
    stripReply(piece.repeat(200_000))
    t.ok(performance.now() - begun < 1_000, JSON.stringify(piece))
  }
})
