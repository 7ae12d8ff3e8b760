import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { createCues } from '#tasks/video/rules/captions/cues.ts'
import type { Word } from '#tasks/video/rules/captions/speech.ts'
import { cutWebvtt, writeWebvtt } from '#tasks/video/rules/captions/webvtt.ts'
import { ffmpeg } from '../../media/ffmpeg.ts'
import { scratch } from '../../media/pipeline.ts'

const folder = await scratch(t)

/** Words said one after the other, each as long as its letters. */
const said = (text: string, from = 0): Word[] => {
  let at = from
  return text.split(' ').map((word) => {
    const start = at
    at += word.length * 0.06 + 0.05
    return { text: word, from: start, to: at - 0.05 }
  })
}

/** What an independent program shows of captions: SubRip. */
async function shown(words: Word[]): Promise<string> {
  const path = join(folder, 'captions.vtt')
  await writeFile(path, writeWebvtt(createCues(words)))
  return (await ffmpeg('-i', path, '-f', 'srt', '-')).toString()
}

t.test('sentences and silences end a cue, and a cue is shown from its first word on', async (t) => {
  const words = [...said('Good morning everyone.'), ...said('This is a video', 2), ...said('about railways', 5)]
  const cues = createCues(words)
  t.strictSame(
    cues.map(({ from, lines }) => [from, lines]),
    [
      [0, ['Good morning everyone.']],
      [2, ['This is a video']],
      [5, ['about railways']],
    ],
  )
  t.ok(cues.every(({ from, to }) => to - from >= 1.2))
})

t.test('long speech becomes two lines of like length', async (t) => {
  const text = 'we will talk about people and money and time and how they met on rails'
  const [first] = createCues(said(text))
  t.strictSame(first?.lines, ['we will talk about people and money', 'and time and how they met on rails'])
})

t.test('where nobody writes full stops, a breath ends a cue that has lasted', async (t) => {
  const [first, second] = ['they looked out at the garden after the rain', 'most people go by train']
  const words = said(first as string)
  const cues = createCues([...words, ...said(second as string, (words.at(-1)?.to ?? 0) + 0.35)])
  t.strictSame(
    cues.map(({ lines }) => lines.join(' ')),
    [first, second],
  )
})

t.test('whatever words an engine tells, cues keep their limits, their order, and every word', async (t) => {
  let seed = 7
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  for (let round = 0; round < 200; round++) {
    let at = 0
    const words = Array.from({ length: 60 }, () => {
      at += random() < 0.1 ? random() * 5 - 0.5 : random() * 0.3
      const text = 'x'.repeat(Math.ceil(random() ** 4 * 100)) + (random() < 0.1 ? '.' : '')
      return { text, from: at, to: at + random() * (random() < 0.05 ? 9 : 0.4) }
    })
    const cues = createCues(words)
    const wrong = cues.filter(({ from, to, lines }, i) => {
      const inOrder = from < to && to - from <= 7 && to <= (cues[i + 1]?.from ?? to)
      return !inOrder || lines.length < 1 || lines.length > 2 || lines.some((line) => !/^.{1,42}$/.test(line))
    })
    t.strictSame(wrong, [])
    const letters = (texts: string[]) => texts.join('').replaceAll(' ', '')
    t.equal(letters(cues.flatMap(({ lines }) => lines)), letters(words.map(({ text }) => text)))
  }
})

t.test('another program reads the file as it was meant, also what looks like markup', async (t) => {
  const words = [
    { text: 'if', from: 0.5, to: 0.7 },
    { text: 'a<b', from: 0.7, to: 1 },
    { text: '&amp;', from: 1, to: 1.2 },
    { text: '-->\nx\r\n\r\ny', from: 1.2, to: 1.5 },
    { text: 'late', from: 3_723.004, to: 3_724 },
  ]
  const text = await shown(words)
  t.equal(
    text.replaceAll('\r', ''),
    '1\n00:00:00,500 --> 00:00:01,900\nif a<b &amp; --> x y\n\n2\n01:02:03,004 --> 01:02:04,400\nlate\n\n',
  )
  t.equal(writeWebvtt(createCues([])), 'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n')
})

t.test('a cut file has every cue where it is shown, whole, in segments that each stand alone', async (t) => {
  const cue = (from: number, to: number, line: string) => ({ from, to, lines: [line] })
  const cues = [
    cue(0, 2, 'first'),
    cue(5, 13, 'over two borders'),
    cue(13, 18, 'ends at a border'),
    cue(18, 19.5, 'begins at one'),
    cue(3_700.5, 3_702, 'after the end'),
  ]
  const segments = cutWebvtt(writeWebvtt(cues), [6, 6, 6, 6, 6.5])
  const shownIn = await Promise.all(
    segments.map(async (text, i) => {
      t.match(text, /^WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00\.000\n/)
      const path = join(folder, `segment-${i}.vtt`)
      await writeFile(path, text)
      const read = (await ffmpeg('-i', path, '-f', 'srt', '-')).toString().replaceAll('\r', '')
      return [...read.matchAll(/\n(\S+) --> (\S+)\n(.*)\n/g)].map(([, from, to, line]) => `${from} ${to} ${line}`)
    }),
  )
  const over = '00:00:05,000 00:00:13,000 over two borders'
  t.strictSame(shownIn, [
    ['00:00:00,000 00:00:02,000 first', over],
    [over],
    [over, '00:00:13,000 00:00:18,000 ends at a border'],
    ['00:00:18,000 00:00:19,500 begins at one'],
    ['01:01:40,500 01:01:42,000 after the end'],
  ])
  t.strictSame(cutWebvtt(writeWebvtt([]), [6, 1]), [writeWebvtt([]), writeWebvtt([])])
  t.strictSame(cutWebvtt(writeWebvtt(cues), []), [])
})
