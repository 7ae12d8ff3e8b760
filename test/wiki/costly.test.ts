import t from 'tap'
import { toHtml, toPlainText } from '../../ingress/wiki/render-markdown.ts'

t.test('long articles are rendered as short ones are', async (t) => {
  const text = 'It is **so**.\n\n'.repeat(2_000)
  t.equal((await toHtml(text, new Map())).match(/<p>It is <strong>so<\/strong>\.<\/p>/g)?.length, 2_000)
  t.match(await toPlainText(text), /^It is so\.\nIt is so\./)
})

t.test('the event loop turns while a costly article is rendered', async (t) => {
  let turns = 0
  const counting = setInterval(() => turns++, 1)
  t.teardown(() => clearInterval(counting))
  const html = await toHtml(`<${'['.repeat(190_000)}`, new Map())
  t.match(html, /&lt;\[\[/, 'as it is written, or rendered, which is the same here')
  t.ok(turns > 10, `it turned ${turns} times`)
})
