import t from 'tap'
import { renderLiquid } from '#lib/liquid/render.ts'

t.setTimeout(240_000)

const render = (orgId: string, html: string) =>
  renderLiquid(orgId, { sources: { html }, partials: {}, variables: { a: 1 }, globals: {} })

t.test('templates that a thread keeps leave enough memory for the templates of others', async (t) => {
  for (let i = 0; i < 45; i++) {
    const { faults } = await render('one', `${'{{a}}'.repeat(6_000)}${i}`)
    t.same(faults, [], `template ${i}`)
    const other = await render('other', '<p>{{ a }}</p>')
    t.match(other, { faults: [], parts: { html: '<p>1</p>' } })
  }
})
