import t from 'tap'
import { readTags, writeTags } from '#lib/storage/object-tags.ts'

t.test('tags are read as they were written', async (t) => {
  const tags = new Map([
    ['own & <other>', '"1"'],
    ['empty', ''],
  ])
  t.same(readTags(writeTags(tags)), tags)
  t.same(readTags('<Tagging><TagSet/></Tagging>'), new Map())
})

t.test('a hostile answer does not hold the event loop', async (t) => {
  const begun = performance.now()
  t.equal(readTags('<Tag>'.repeat(200_000)).size, 0)
  t.equal(readTags(`${'<Tag><Key>'.repeat(100_000)}</Tag>`).size, 0)
  t.ok(performance.now() - begun < 30_000)
})
