import t from 'tap'
import { endAsTheyShould, surviveMutation } from '../../media/corpus/claims.ts'
import { scratch } from '../../media/pipeline.ts'

const folder = await scratch(t)

t.test('a hostile file ends as it should, in little memory', (t) =>
  endAsTheyShould(t, folder, ['a session description', 'a mebibyte of zeroes']),
)

t.test('no mutated file hangs a tool, ends without a word for its owner, or has another file read', (t) =>
  surviveMutation(t, folder, 4),
)
