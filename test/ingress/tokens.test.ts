import { readFileSync } from 'node:fs'
import t from 'tap'
import { withTokens } from '../../ingress/http/html/tokens.ts'

const pages = ['wiki/page/wiki.css', 'directory/watch.css', 'rooms/client/join.css', 'docs/site/styles/base.css']

t.test('in browsers without light-dark(), each token of a page has a colour for light and for dark', async (t) => {
  for (const page of [...pages, 'http/html/assets/styles/base.css']) {
    const url = new URL(`../../ingress/${page}`, import.meta.url)
    const sheet = withTokens(url).toString()
    const own = [...readFileSync(url, 'utf8').matchAll(/(--[\w-]+): light-dark\((#\w+), (#\w+)\);/g)]
    t.ok(own.length > 0, page)
    for (const [declaration, name, light, dark] of own) {
      const places = [`${name}: ${light};`, `${name}: ${dark};`, declaration].map((text) => sheet.lastIndexOf(text))
      t.ok(places[0] !== -1 && places[1] !== -1, `${page} ${name}`)
      t.same(
        places,
        places.toSorted((a, b) => a - b),
        `${page} ${name}: the function has precedence`,
      )
    }
  }
})
