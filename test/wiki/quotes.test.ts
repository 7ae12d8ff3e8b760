import '../support/webhooks-environment.ts'
import t from 'tap'
import { article, evidenceStack, filler } from './evidence-stack.ts'

t.setTimeout(240_000)
const stack = await evidenceStack(t)
const { pages, ask, done, source, snapshot } = stack
await stack.startWorkers()
const entity_id = (await done('POST /v1/wiki/entities', { type: 'city', labels: { en: 'Tallinn' } })).id

/** Claims a value with a quote from a page. Returns the reference, or the status of a rejection. */
async function cite(source_id: string, quote: string, value?: object) {
  const { status, body } = await ask('POST /v1/wiki/claims', {
    body: {
      entity_id,
      property: 'says',
      value: value ?? { type: 'string', content: quote },
      references: [{ source_id, quote }],
    },
  })
  return status === 200 ? body.references[0].problem : status
}
let count = 0
/** Captures a page with this article. */
async function page(...paragraphs: string[]): Promise<string> {
  const path = `/page-${++count}`
  pages[path] = article([filler, ...paragraphs])
  const id = await source(path)
  await snapshot(id)
  return id
}
const quantity = (content: string) => ({ type: 'quantity', content })
const time = (content: string) => ({ type: 'time', content })

t.test('only what is seen of a page is quoted from it', async (t) => {
  const hidden = (words: string) => `the ${words} words of nobody`
  const ways: Record<string, string> = {
    deleted: `<del>${hidden('deleted')}</del>`,
    struck: `<s>${hidden('struck')}</s> <strike>${hidden('striked')}</strike>`,
    attributed: `<span hidden>${hidden('attributed')}</span>`,
    gone: `<span style="color: red; Display : NONE">${hidden('gone')}</span>`,
    invisible: `<b style="visibility:hidden">${hidden('invisible')}</b>`,
    transparent: `<b style="opacity: 0">${hidden('transparent')}</b>`,
    tiny: `<b style="font-size:0px">${hidden('tiny')}</b>`,
    lined: `<b style="text-decoration: line-through">${hidden('lined')}</b>`,
    aria: `<span aria-hidden="true">${hidden('aria')}</span>`,
    away: `<span style="position:absolute; left:-9999px">${hidden('away')}</span>`,
    indented: `<span style="text-indent: -999em">${hidden('indented')}</span>`,
    clipped: `<span style="position:absolute;clip:rect(0, 0, 0, 0)">${hidden('clipped')}</span>`,
    squeezed: `<span style="height:0;overflow:hidden">${hidden('squeezed')}</span>`,
    readers: `<span class="note sr-only">${hidden('readers')}</span>`,
    template: `<template>${hidden('template')}</template>`,
    noscript: `<noscript>${hidden('noscript')}</noscript>`,
    comment: `<!-- ${hidden('comment')} -->`,
    title: `<svg><title>${hidden('title')}</title></svg><i title="${hidden('tip')}">x</i>`,
    dialog: `<dialog>${hidden('dialog')}</dialog>`,
    nested: `<div style="display:none"><p>not</p><div><p>${hidden('nested')}</p></div></div>`,
  }
  const styles = [
    ...[
      'font:0/0 a',
      'color:#0000',
      'color:rgba(0,0,0,0)',
      'opacity:0.001',
      'position:absolute;left:9999px',
      'scale:0',
    ],
    ...['left:calc(-9999px)', 'inset-inline-start:-9999px', 'translate:-9999px', 'overflow-y:hidden;height:0'],
    ...['height:0em;overflow:hidden', 'clip-path:polygon(0 0)'],
  ]
  for (const [i, style] of styles.entries()) ways[`s${i}`] = `<b style="${style}">${hidden(`s${i}`)}</b>`
  ways.popover = `<div popover>${hidden('popover')}</div>`
  ways.annotation = `<math><annotation>${hidden('annotation')}</annotation></math>`
  ways.closed = `<details><summary>More</summary><p>${hidden('closed')}</p></details>`
  ways.folded = `<details>${hidden('folded')}</details>`
  const id = await page(
    ...Object.values(ways),
    '<ins style="color:rgb(0,0,0)">These words</ins> are <b style="color: rgb(0 0 0); font: 12px a">seen</b> by<i> everybody</i>.',
  )
  for (const way of [...Object.keys(ways), 'striked', 'tip'])
    t.equal(await cite(id, hidden(way)), 'quote_not_found', way)
  t.equal(await cite(id, 'These words are seen by everybody'), null)
  const apart = await page('<b style="display:block">It had 10</b><b style="display:block">0 people</b> there.')
  t.equal(await cite(apart, 'It had 100 people'), 'quote_not_found')
})

t.test('a quote stands in one block, and begins and ends where words and numbers do', async (t) => {
  const id = await page(
    'The first of all.</p><p>The second of all.',
    '<ul><li>apples and pears</li><li>plums and figs</li></ul>',
    '<table><tr><td>Population of it</td><td>461346 people</td></tr></table>',
    'A line<br>that is broken.',
    'It was unsupported by anybody, had 1,000 men, 10.5 women and -7 degrees.',
  )
  for (const quote of [
    ...['first of all. The second', 'pears plums and figs', 'Population of it 461346', 'Population of it461346'],
    ...[
      'supported by anybody',
      'anybody, had 1',
      '000 men, 10.5 women',
      '5 women and -7',
      '7 degrees.',
      '1,000 men, 10',
    ],
  ]) {
    t.equal(await cite(id, quote), 'quote_not_found', quote)
  }
  for (const quote of [
    ...['A line that is broken', 'apples and pears', '461346 people', 'unsupported by anybody', 'had 1,000 men'],
    ...['10.5 women and -7 degrees'],
  ]) {
    t.equal(await cite(id, quote), null, quote)
  }
})

t.test('a quote has three words or eight characters', async (t) => {
  const id = await page('It is so. Yes no! Population: 5. 人口は五人です。')
  for (const quote of ['Yes no', 'so', '. . . . . . . .', 'Yes', 'is so.']) t.equal(await cite(id, quote), 400, quote)
  for (const quote of ['It is so', 'Population', '人口は五人です。']) t.not(await cite(id, quote), 400, quote)
})

t.test('a quote has the value of its claim: numbers are compared as numbers, days as days', async (t) => {
  const id = await page(
    'It had 1,000,000 people, 100 dogs and １２ cats.',
    'It had 1 000 000 people once, or 1.5 million.',
    'It is 10² metres wide and 10<sup>3</sup> metres long.',
    'It takes ½ of it all; the bill was 2½ crowns.',
    'It was opened on 19 March 1932 by the mayor of Tallinn.',
    'Открыт 19 марта 1932 года.',
  )
  const holds: [string, object][] = [
    ['had 1,000,000 people', quantity('1000000')],
    ['had 1 000 000 people once', quantity('1000000')],
    ['had 1 000 000 people once, or 1.5 million', quantity('1500000')],
    ['100 dogs and 12 cats', quantity('12')],
    ['100 dogs and 12 cats', quantity('100.0')],
    ['opened on 19 March 1932', time('1932-03-19')],
    ['opened on 19 March 1932', time('1932')],
    ['Открыт 19 марта 1932', time('1932-03-19')],
    ['by the mayor of Tallinn', { type: 'entity', content: entity_id }],
    ['had 1,000,000 people', { type: 'string', content: '1000000 People' }],
  ]
  for (const [quote, value] of holds) t.equal(await cite(id, quote, value), null, quote)
  const lacks: [string, object][] = [
    ['100 dogs and 12 cats', quantity('10')],
    ['had 1,000,000 people', quantity('1000')],
    ['had 1 000 000 people once, or 1.5 million', quantity('1.5')],
    ['It is 10² metres wide', quantity('102')],
    ['It is 10² metres wide', quantity('10')],
    ['It takes ½ of it all', quantity('1')],
    ['opened on 19 March 1932', time('1932-05-19')],
    ['opened on 19 March 1932', time('1932-03-18')],
    ['had 1,000,000 people', { type: 'entity', content: entity_id }],
    ['had 1,000,000 people', { type: 'string', content: 'people once' }],
    ['by the mayor of Tallinn', { type: 'string', content: 'may' }],
  ]
  for (const [quote, value] of lacks) t.equal(await cite(id, quote, value), 'value_not_in_quote', quote)
  for (const quote of [
    'It is 102 metres wide',
    'and 103 metres long',
    'It takes 1⁄2 of it',
    'the bill was 21⁄2 crowns',
  ]) {
    t.equal(await cite(id, quote), 'quote_not_found', quote)
  }
  t.equal(await cite(id, 'and 10³ metres long'), null)
})
