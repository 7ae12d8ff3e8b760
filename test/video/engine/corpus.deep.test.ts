import t from 'tap'
import { endAsTheyShould, surviveMutation } from '../../media/corpus/claims.ts'
import { scratch } from '../../media/pipeline.ts'

const folder = await scratch(t)

// The cheap ones that no other test has; `npm run corpus` takes all.
const chosen = [
  ...['metadata of ffmpeg', 'a session description', 'a playlist named as one', 'a mebibyte of zeroes'],
  ...['16384x16384 PNG in MOV', '16383x16383 VP8 in WebM', 'no rate', 'times that wrap', 'named "a\\nb|c;d.mp4"'],
]

t.test('odd and hostile files end as they should, in little memory', (t) => endAsTheyShould(t, folder, chosen))

t.test('no mutated file hangs a tool, ends without a word for its owner, or has another file read', (t) =>
  surviveMutation(t, folder, 24),
)
