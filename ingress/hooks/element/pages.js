import { button, make } from './dom.js'

/**
 * Loads a list and shows it with `draw`. A button adds older items. Returns null if the list is empty.
 */
export async function pages({ ask, words, act }, path, draw) {
  const { data, next_cursor } = await ask('GET', path)
  if (data.length === 0) return null
  const [all, box] = [[...data], make('div')]
  let cursor = next_cursor
  const show = () => box.replaceChildren(draw(all), ...(cursor ? [more] : []))
  const more = button(words.older, () =>
    act(async () => {
      const next = await ask('GET', `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`)
      all.push(...next.data)
      cursor = next.next_cursor
      show()
      if (cursor) more.focus()
    }),
  )
  show()
  return box
}
